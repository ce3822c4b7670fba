/**
 * The library's interpreter of chat templates, with limits. It has none of its own, and model files come from anywhere.
 * Bounds steps, time, the length of texts and the size of nested values, also where one filter multiplies them.
 */
import { Environment, Interpreter } from '@huggingface/jinja';
import { pythonText } from './python-text.ts';
import { strftime } from './strftime.ts';

const MAX_STEPS = 5_000_000;
const MAX_MILLISECONDS = 2_000;
/** The largest number of characters in a text, and in a printed value. */
const MAX_TEXT = 16 * 2 ** 20;
const MAX_DEPTH = 200;
const MAX_RANGE = 100_000;
const MAX_INDENT = 16;
/** A new text costs one step for this many characters. */
const CHARACTERS_A_STEP = 32;

export class JinjaError extends Error {
  override name = 'JinjaError';
}

/** A limit was exceeded. Rendering the conversation in another form would not help. */
export class JinjaLimitError extends JinjaError {}

type Program = Parameters<Interpreter['run']>[0];
type Value = ReturnType<Interpreter['evaluate']>;
type Statement = NonNullable<Parameters<Interpreter['evaluate']>[0]>;

/**
 * Runs a parsed template.
 * @throws JinjaError with the template's message; JinjaLimitError when a limit is exceeded
 */
export function interpret(program: Program, variables: Record<string, unknown>): string {
  const environment = new Environment();
  const budget = new Budget();
  setGlobals(environment, budget);
  try {
    for (const [name, value] of Object.entries(variables)) environment.set(name, value);
    return String(new BoundedInterpreter(environment, budget).run(program).value);
  } catch (error) {
    if (error instanceof JinjaError) throw error;
    if (error instanceof RangeError) throw new JinjaLimitError('the chat template is too deeply nested');
    throw new JinjaError((error as Error).message);
  }
}

/** The work that a rendering may still do. */
class Budget {
  #steps = 0;
  readonly #end = performance.now() + MAX_MILLISECONDS;

  /** @throws JinjaLimitError when the steps or the time are used up */
  spend(steps: number): void {
    const before = this.#steps;
    this.#steps += steps;
    // Reads the clock once in 1,024 steps.
    const isTimeUp = this.#steps >> 10 !== before >> 10 && performance.now() > this.#end;
    if (this.#steps > MAX_STEPS || isTimeUp) throw new JinjaLimitError('the chat template takes too long');
  }

  /** Adds the cost of a text of `length` characters. */
  text(length: number): void {
    if (length > MAX_TEXT) throw new JinjaLimitError('the chat template writes too much text');
    this.spend(Math.ceil(length / CHARACTERS_A_STEP));
  }
}

/** Private methods of the library in which one step can create a text of any length. Tests fail if they go away. */
interface Internals {
  applyFilter(operand: Value, filter: Statement, environment: Environment): Value;
  evaluateArguments(args: Statement[], environment: Environment): [Value[], Map<string, Value>];
}
const internals = Interpreter.prototype as unknown as Internals;

class BoundedInterpreter extends Interpreter {
  /** Sizes of lists and mappings, so that each is measured once. */
  readonly #sizes = new WeakMap<object, { size: number; depth: number }>();

  constructor(
    environment: Environment,
    readonly budget: Budget,
  ) {
    super(environment);
    Object.defineProperty(this, 'applyFilter', {
      value: (...args: Parameters<Internals['applyFilter']>) => this.#filter(...args),
    });
  }

  override evaluate(...[statement, environment]: Parameters<Interpreter['evaluate']>): Value {
    this.budget.spend(1);
    if (statement?.type === 'CallExpression') this.#checkMethod(statement as unknown as Call, environment);
    // In `for a, b in …` the library unpacks lists, and no tuples.
    const node = statement?.type === 'TupleLiteral' ? { ...statement, type: 'ArrayLiteral' } : statement;
    const value = super.evaluate(node, environment);
    if (typeof value.value === 'string') this.budget.text(value.value.length);
    else this.#size(value);
    return value;
  }

  #filter(operand: Value, filter: Statement, environment: Environment): Value {
    // In Jinja filters see an undefined value as an empty text; the library refuses it.
    if (operand.type === 'UndefinedValue' && filter.type === 'Identifier') {
      const name = (filter as unknown as { value: string }).value;
      if (name === 'trim' || name === 'string' || name === 'upper' || name === 'lower') {
        return internals.applyFilter.call(this, textValue(''), filter, environment);
      }
    }
    // The library cannot convert a mapping to text.
    if (operand.type === 'ObjectValue' && (filter as unknown as { value?: unknown }).value === 'string') {
      return textValue(pythonText(operand));
    }
    if (filter.type === 'CallExpression') {
      const { callee, args } = filter as unknown as Call;
      const name = (callee as unknown as { value?: string }).value;
      if (name === 'indent' || name === 'tojson' || name === 'join' || name === 'replace') {
        this.#checkGrowth(name, operand, args, environment);
      }
    }
    return internals.applyFilter.call(this, operand, filter, environment);
  }

  /** Checks `text.replace(…)` and `text.join(…)`. */
  #checkMethod({ callee, args }: Call, environment: Environment): void {
    const { type, object, property } = callee as unknown as {
      type: string;
      object?: Statement;
      property?: { value?: unknown };
    };
    if (type !== 'MemberExpression' || !object) return;
    const name = property?.value;
    if (name !== 'replace' && name !== 'join') return;
    this.#checkGrowth(name, this.evaluate(object, environment), args, environment);
  }

  /** @throws JinjaLimitError when the filter's result would be far too long */
  #checkGrowth(name: string, operand: Value, args: Statement[], environment: Environment): void {
    const [positional, named] = internals.evaluateArguments.call(this, args, environment);
    const all = [...positional, ...named.values()];
    const longest = Math.max(0, ...all.map(({ value }) => (typeof value === 'string' ? value.length : 0)));
    const greatest = Math.max(0, ...all.map(({ value }) => (typeof value === 'number' ? value : 0)));
    if ((name === 'indent' || name === 'tojson') && greatest > MAX_INDENT) {
      throw new JinjaLimitError('the chat template indents too far');
    }
    const { size } = this.#size(operand);
    const pieces = name === 'replace' ? size : Array.isArray(operand.value) ? operand.value.length : size;
    if (name === 'indent') this.budget.text(size * (1 + greatest));
    else if (name !== 'tojson') this.budget.text(size + pieces * longest);
  }

  /** The characters of the printed value, and its depth. A part that occurs twice counts twice. */
  #size(value: Value): { size: number; depth: number } {
    const inner: unknown = value?.value;
    if (typeof inner === 'string') return { size: inner.length + 2, depth: 0 };
    if (inner === null || typeof inner !== 'object') return { size: 8, depth: 0 };
    const measured = this.#sizes.get(inner);
    if (measured) return measured;
    // Stored before the parts are measured, so that a value that contains itself does not recurse forever.
    const result = { size: 2, depth: 0 };
    this.#sizes.set(inner, result);
    const parts: [string, Value][] =
      inner instanceof Map
        ? [...inner]
        : Array.isArray(inner)
          ? inner.map((part) => ['', part as Value])
          : [];
    this.budget.spend(parts.length);
    for (const [key, part] of parts) {
      const { size, depth } = this.#size(part);
      result.size += key.length + 4 + size;
      result.depth = Math.max(result.depth, depth + 1);
    }
    if (result.depth > MAX_DEPTH) throw new JinjaLimitError('the chat template nests values too deeply');
    if (result.size > MAX_TEXT) throw new JinjaLimitError('the chat template writes too much text');
    return result;
  }
}

interface Call {
  callee: Statement;
  args: Statement[];
}

function textValue(text: string): Value {
  return new Environment().set('text', text);
}

function setGlobals(environment: Environment, budget: Budget): void {
  for (const [name, value] of Object.entries({ true: true, True: true, false: false, False: false })) {
    environment.set(name, value);
  }
  for (const name of ['none', 'None']) environment.set(name, null);
  environment.set('raise_exception', (message: unknown) => {
    throw new JinjaError(String(message));
  });
  environment.set('range', (...bounds: [number, number?, number?]) => range(budget, ...bounds));
  environment.set('strftime_now', (format: string) => strftime(format, new Date()));
}

function range(budget: Budget, start: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  if (step === 0) throw new JinjaError('range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((to - from) / step));
  if (length > MAX_RANGE) throw new JinjaLimitError('the chat template takes too long');
  budget.spend(length);
  return Array.from({ length }, (_, index) => from + index * step);
}
