/** Arithmetic expressions as Python writes them, for numbers and truth values. */

/** A value of an expression. Lists are the arguments of `sum`, `min` and `max`. */
export type ExpressionValue = number | boolean | readonly number[];
type Scope = Readonly<Record<string, ExpressionValue>>;
type Term = (scope: Scope) => ExpressionValue;

/** The expression cannot be read, or has no value for these variables. */
export class ExpressionError extends Error {
  override name = 'ValueError';
}

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-z_]\w*)|(\*\*|\/\/|<<|>>|[<>=!]=|[-+*/%()<>,&|^~]))/iy;
/** An exponent beyond this one takes no useful time. */
const MAX_EXPONENT = 4000;
/** Deeper expressions are refused, so that none can fill the stack. */
const MAX_DEPTH = 100;

/** Binary operators by how tightly they bind, the loosest first. `**` binds tighter and to the right. */
const LEVELS: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
  { '|': (a, b) => bits(a) | bits(b) },
  { '^': (a, b) => bits(a) ^ bits(b) },
  { '&': (a, b) => bits(a) & bits(b) },
  { '<<': (a, b) => bits(a) * 2 ** bits(b), '>>': (a, b) => Math.floor(bits(a) / 2 ** bits(b)) },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  {
    '*': (a, b) => a * b,
    '/': (a, b) => a / divisor(b),
    '//': (a, b) => Math.floor(a / divisor(b)),
    '%': (a, b) => a - Math.floor(a / divisor(b)) * b,
  },
];

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

const WORDS = new Set(['and', 'or', 'not', 'if', 'else', 'True', 'False']);

function divisor(value: number): number {
  if (value === 0) throw new ExpressionError('division by zero');
  return value;
}

/** Bits of whole numbers up to 32 bits with a sign: sizes, counts and frames. */
function bits(value: number): number {
  if (!Number.isInteger(value) || Math.abs(value) > 2 ** 31)
    throw new ExpressionError(`& | ^ ~ << >> take whole numbers of up to 31 bits, not ${value}`);
  return value;
}

function power(base: number, exponent: number): number {
  if (Math.abs(exponent) > MAX_EXPONENT)
    throw new ExpressionError(`Exponent ${exponent} exceeds maximum of ${MAX_EXPONENT}`);
  if (base === 0 && exponent < 0) throw new ExpressionError('0.0 cannot be raised to a negative power');
  return defined(base ** exponent, base);
}

/** Not a number from a number: the function has no value there. */
function defined(result: number, ...inputs: number[]): number {
  if (Number.isNaN(result) && !inputs.some(Number.isNaN)) throw new ExpressionError('math domain error');
  return result;
}

/** Rounds halves to the even neighbor, as Python does. */
function roundEven(value: number, digits = 0): number {
  const scale = 10 ** digits;
  const scaled = value * scale;
  const below = Math.floor(scaled);
  const isHalf = scaled - below === 0.5;
  return (isHalf ? below + (Math.abs(below) % 2) : Math.round(scaled)) / scale;
}

const positive = (value: number): number => {
  if (value <= 0) throw new ExpressionError('math domain error');
  return value;
};

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  abs: Math.abs,
  round: roundEven,
  pow: power,
  sqrt: (value) => defined(Math.sqrt(value), value),
  ceil: Math.ceil,
  floor: Math.floor,
  log: (value, base) =>
    base === undefined
      ? Math.log(positive(value))
      : Math.log(positive(value)) / divisor(Math.log(positive(base))),
  log2: (value) => Math.log2(positive(value)),
  log10: (value) => Math.log10(positive(value)),
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  int: Math.trunc,
  float: (value) => value,
  sum: (...values) => values.reduce((sum, value) => sum + value, 0),
  min: (...values) => Math.min(...values),
  max: (...values) => Math.max(...values),
};

/** How many values a function takes. Others take as many as there are, and lists. */
const COUNTS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  round: [1, 2],
  pow: [2, 2],
  log: [1, 2],
};
const TAKES_LISTS = new Set(['sum', 'min', 'max']);

/**
 * The value of an expression, such as `max(a, b) // 8 * 8 if a > 0 else b`.
 * @throws `ExpressionError` with the cause and, for a mistake of writing, the place
 */
export function evaluateExpression(text: string, scope: Scope): number | boolean {
  if (text.trim() === '') throw new ExpressionError('Expression cannot be empty.');
  const value = new Parser(text).parse()(scope);
  if (typeof value === 'object') throw new ExpressionError('the expression is a list: use sum, min or max');
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new ExpressionError('the expression gives a non-finite result: check its numbers');
  return value;
}

const asNumber = (value: ExpressionValue): number => {
  if (typeof value === 'object') throw new ExpressionError('a list can only be used in sum, min and max');
  return Number(value);
};

class Parser {
  readonly #tokens: string[] = [];
  #at = 0;
  #depth = 0;

  constructor(private readonly text: string) {
    const source = text.trim();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < source.length) {
      const from = TOKEN.lastIndex;
      const match = TOKEN.exec(source);
      if (!match)
        throw new ExpressionError(`cannot read '${source.slice(from).trim()}' in the expression '${source}'`);
      this.#tokens.push(match[1] ?? match[2] ?? match[3]!);
    }
  }

  parse(): Term {
    const term = this.#choice();
    if (this.#at < this.#tokens.length) throw this.#unexpected();
    return term;
  }

  #choice(): Term {
    if (++this.#depth > MAX_DEPTH) throw new ExpressionError('the expression has too many brackets');
    const yes = this.#or();
    this.#depth--;
    if (!this.#take('if')) return yes;
    const condition = this.#or();
    this.#need('else');
    const no = this.#choice();
    return (scope) => (condition(scope) ? yes(scope) : no(scope));
  }

  #or(): Term {
    let left = this.#and();
    while (this.#take('or')) {
      const [first, second] = [left, this.#and()];
      left = (scope) => first(scope) || second(scope);
    }
    return left;
  }

  #and(): Term {
    let left = this.#not();
    while (this.#take('and')) {
      const [first, second] = [left, this.#not()];
      left = (scope) => first(scope) && second(scope);
    }
    return left;
  }

  #not(): Term {
    let count = 0;
    while (this.#take('not')) count++;
    const term = this.#comparison();
    return count === 0 ? term : (scope) => Boolean(term(scope)) === (count % 2 === 0);
  }

  /** `a < b <= c` holds when each pair does. */
  #comparison(): Term {
    const terms = [this.#binary(0)];
    const signs: string[] = [];
    while (Object.hasOwn(COMPARISONS, this.#peek())) {
      signs.push(this.#next());
      terms.push(this.#binary(0));
    }
    if (signs.length === 0) return terms[0]!;
    return (scope) => {
      const values = terms.map((term) => asNumber(term(scope)));
      return signs.every((sign, at) => COMPARISONS[sign]!(values[at]!, values[at + 1]!));
    };
  }

  #binary(level: number): Term {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    while (Object.hasOwn(operators, this.#peek())) {
      const operate = operators[this.#next()]!;
      const [first, second] = [left, this.#binary(level + 1)];
      left = (scope) => operate(asNumber(first(scope)), asNumber(second(scope)));
    }
    return left;
  }

  #unary(): Term {
    const signs: string[] = [];
    while (['-', '+', '~'].includes(this.#peek())) signs.push(this.#next());
    const term = this.#power();
    if (signs.length === 0) return term;
    return (scope) =>
      signs.reduceRight(
        (value, sign) => (sign === '-' ? -value : sign === '~' ? ~bits(value) : value),
        asNumber(term(scope)),
      );
  }

  #power(): Term {
    const base = this.#value();
    if (!this.#take('**')) return base;
    const exponent = this.#unary();
    return (scope) => power(asNumber(base(scope)), asNumber(exponent(scope)));
  }

  #value(): Term {
    const token = this.#next();
    if (token === '(') {
      const term = this.#choice();
      this.#need(')');
      return term;
    }
    if (/^[\d.]/.test(token)) return () => Number(token);
    if (token === 'True' || token === 'False') return () => token === 'True';
    if (!/^[a-z_]/i.test(token) || WORDS.has(token)) throw this.#unexpected(this.#at - 1);
    return this.#take('(') ? this.#call(token) : variable(token);
  }

  #call(name: string): Term {
    const run = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]! : undefined;
    if (!run)
      throw new ExpressionError(
        `function '${name}' is not defined: use ${Object.keys(FUNCTIONS).join(', ')}`,
      );
    const terms: Term[] = [];
    while (!this.#take(')')) {
      if (terms.length > 0) this.#need(',');
      terms.push(this.#choice());
    }
    const takesLists = TAKES_LISTS.has(name);
    const [least, most] = COUNTS[name] ?? [1, takesLists ? Number.POSITIVE_INFINITY : 1];
    if (terms.length < least || terms.length > most)
      throw new ExpressionError(
        `${name} does not take ${terms.length} value${terms.length === 1 ? '' : 's'}`,
      );
    return (scope) => {
      const values = terms.map((term) => term(scope));
      return run(...(takesLists ? values.flat().map(Number) : values.map(asNumber)));
    };
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #next(): string {
    if (this.#at >= this.#tokens.length)
      throw new ExpressionError(`the expression '${this.text.trim()}' is not complete`);
    return this.#tokens[this.#at++]!;
  }

  #take(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at++;
    return true;
  }

  #need(token: string): void {
    if (!this.#take(token)) throw this.#unexpected();
  }

  #unexpected(at = this.#at): ExpressionError {
    const token = this.#tokens[at];
    return new ExpressionError(
      token === undefined
        ? `the expression '${this.text.trim()}' is not complete`
        : `'${token}' cannot stand there in the expression '${this.text.trim()}'`,
    );
  }
}

const variable =
  (name: string): Term =>
  (scope) => {
    if (!Object.hasOwn(scope, name))
      throw new ExpressionError(`'${name}' is not defined for the expression: link the input ${name}`);
    return scope[name]!;
  };
