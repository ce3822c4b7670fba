/** Chat templates from model files. They are untrusted: time, steps and output are bounded. */
import { Environment, Interpreter, Template } from '@huggingface/jinja';
import type { Message, ThinkLevel, Tool } from '../types.ts';

const MAX_SOURCE = 512 * 1024;
const MAX_STEPS = 5_000_000;
const MAX_TEXT = 64 * 2 ** 20;
const MAX_MILLISECONDS = 2_000;

export interface JinjaInput {
  messages: Message[];
  tools: Tool[];
  think: boolean | ThinkLevel | undefined;
  bosToken: string;
  eosToken: string;
}

export class JinjaError extends Error {
  override name = 'JinjaError';
}

export class JinjaTemplate {
  readonly #template: Template;

  constructor(readonly source: string) {
    if (source.length > MAX_SOURCE) throw new JinjaError('the chat template is too long');
    try {
      this.#template = new Template(source);
    } catch (error) {
      throw new JinjaError((error as Error).message);
    }
  }

  render(input: JinjaInput): string {
    const { messages } = input;
    const last = messages.at(-1);
    // An answer that the conversation already begins is continued, not followed by another one.
    const begun = last?.role === 'assistant' && !last.toolCalls?.length ? last : undefined;
    const text = this.#run({
      messages: (begun ? messages.slice(0, -1) : messages).map(jinjaMessage),
      tools: input.tools.length > 0 ? input.tools : null,
      add_generation_prompt: true,
      bos_token: input.bosToken,
      eos_token: input.eosToken,
      ...(input.think !== undefined && {
        enable_thinking: Boolean(input.think),
        thinking: Boolean(input.think),
      }),
      ...(typeof input.think === 'string' && { reasoning_effort: input.think }),
    });
    return text + (begun?.content ?? '');
  }

  #run(variables: Record<string, unknown>): string {
    const environment = new Environment();
    const budget = new Budget();
    setGlobals(environment, budget);
    try {
      for (const [name, value] of Object.entries(variables)) environment.set(name, value);
      const result = new BoundedInterpreter(environment, budget).run(this.#template.parsed);
      return String(result.value);
    } catch (error) {
      if (error instanceof JinjaError) throw error;
      throw new JinjaError((error as Error).message);
    }
  }
}

class Budget {
  #steps = 0;
  readonly #end = performance.now() + MAX_MILLISECONDS;

  /** Throws when the template did too much. */
  spend(steps: number): void {
    const before = this.#steps;
    this.#steps += steps;
    const late = this.#steps >> 10 !== before >> 10 && performance.now() > this.#end;
    if (this.#steps > MAX_STEPS || late) throw new JinjaError('the chat template takes too long');
  }
}

class BoundedInterpreter extends Interpreter {
  constructor(
    environment: Environment,
    readonly budget: Budget,
  ) {
    super(environment);
  }

  override evaluate(...args: Parameters<Interpreter['evaluate']>): ReturnType<Interpreter['evaluate']> {
    this.budget.spend(1);
    const value = super.evaluate(...args);
    // A loop without a body costs its length, though nothing in it is evaluated.
    if (Array.isArray(value.value)) this.budget.spend(value.value.length);
    if (typeof value.value === 'string' && value.value.length > MAX_TEXT) {
      throw new JinjaError('the chat template writes too much text');
    }
    return value;
  }
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
  environment.set('strftime_now', strftime);
}

function range(budget: Budget, start: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  if (step === 0) throw new JinjaError('range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((to - from) / step));
  budget.spend(length);
  return Array.from({ length }, (_, index) => from + index * step);
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

function strftime(format: string): string {
  const now = new Date();
  const two = (number: number) => String(number).padStart(2, '0');
  const month = MONTHS[now.getMonth()]!;
  const day = DAYS[now.getDay()]!;
  const parts: Record<string, string> = {
    Y: String(now.getFullYear()),
    y: two(now.getFullYear() % 100),
    m: two(now.getMonth() + 1),
    d: two(now.getDate()),
    H: two(now.getHours()),
    M: two(now.getMinutes()),
    S: two(now.getSeconds()),
    I: two(now.getHours() % 12 || 12),
    p: now.getHours() < 12 ? 'AM' : 'PM',
    B: month,
    b: month.slice(0, 3),
    A: day,
    a: day.slice(0, 3),
    '%': '%',
  };
  return format.replace(/%-?([a-zA-Z%])/g, (all, letter: string) => {
    const part = parts[letter];
    return part === undefined ? all : all[1] === '-' ? part.replace(/^0/, '') : part;
  });
}

/** The message as chat templates know it, with the names of the OpenAI format. */
function jinjaMessage(message: Message): Record<string, unknown> {
  return {
    role: message.role,
    content: message.content,
    ...(message.thinking && { reasoning_content: message.thinking, thinking: message.thinking }),
    ...(message.toolCalls?.length && {
      tool_calls: message.toolCalls.map((call) => ({
        ...(call.id && { id: call.id }),
        type: 'function',
        function: { name: call.name, arguments: call.arguments },
      })),
    }),
    ...(message.toolName && { name: message.toolName }),
    ...(message.toolCallId && { tool_call_id: message.toolCallId }),
  };
}
