/** Chat templates from model files. They are untrusted: time, steps and output are bounded. */
import { Template } from '@huggingface/jinja';
import type { Message, ThinkLevel, Tool } from '#core/local-models/base/messages.ts';
import { HARMONY_ANSWER, isHarmony } from '../harmony-format.ts';
import { interpret, JinjaError, JinjaLimitError } from './bounded-interpreter.ts';
import { type Habits, jinjaMessages } from './messages.ts';

export { JinjaError } from './bounded-interpreter.ts';

const MAX_SOURCE = 512 * 1024;

export interface JinjaInput {
  messages: Message[];
  tools: Tool[];
  think: boolean | ThinkLevel | undefined;
  bosToken: string;
  eosToken: string;
}

type CallHabits = Pick<Habits, 'calls' | 'nullContent' | 'results'>;
type Tokens = Pick<JinjaInput, 'bosToken' | 'eosToken'>;

export class JinjaTemplate {
  readonly #template: Template;
  readonly #harmony: boolean;
  readonly #habits: Habits;
  #system: boolean | undefined;
  #calls: CallHabits | undefined;
  /** What the template gets where there are no tools: some only know an empty list. */
  #noTools: null | [] = null;

  constructor(readonly source: string) {
    if (source.length > MAX_SOURCE) throw new JinjaError('the chat template is too long');
    try {
      this.#template = new Template(source);
    } catch (error) {
      const deep = error instanceof RangeError;
      throw new JinjaError(deep ? 'the chat template is too deeply nested' : (error as Error).message);
    }
    this.#harmony = isHarmony(source);
    const idLength = /id\s*\|\s*length\s*!=\s*(\d+)/.exec(source)?.[1];
    this.#habits = {
      calls: 'object',
      nullContent: false,
      callTag: source.includes('<|tool_call|>') ? '<|tool_call|>' : '',
      results: true,
      system: true,
      plainTurns: false,
      ...(idLength && { idLength: Number(idLength) }),
    };
  }

  render(input: JinjaInput): string {
    const all = this.#withoutDevelopers(input.messages);
    const last = all.at(-1);
    // An answer that the conversation already begins is continued, not followed by another one.
    const begun = last?.role === 'assistant' && !last.toolCalls?.length ? last.content : undefined;
    const messages = begun === undefined ? all : all.slice(0, -1);
    const habits = this.#learn(messages, input);
    // It is the answer that is begun, so the thinking is over. Harmony is told by the channel.
    const think = begun && !this.#harmony ? false : input.think;
    const text = this.#anyTools({ ...input, messages, think }, habits);
    if (begun === undefined) return text;
    return text + (this.#harmony && begun !== '' ? HARMONY_ANSWER : '') + begun;
  }

  /** OpenAI's newer name for whoever gives the system message; few templates know it. */
  #withoutDevelopers(messages: Message[]): Message[] {
    if (this.source.includes('developer')) return messages;
    return messages.map((message) =>
      message.role === 'developer' ? { ...message, role: 'system' } : message,
    );
  }

  /** Renders; a template that refuses a conversation gets it as plain turns. */
  #anyTools(input: JinjaInput, habits: Habits): string {
    try {
      return this.#run(input, habits);
    } catch (error) {
      if (error instanceof JinjaLimitError) throw error;
      const others: [Habits, null | []][] = [
        ...(input.tools.length === 0 ? [[habits, []] as [Habits, []]] : []),
        [{ ...habits, system: false, plainTurns: true }, this.#noTools],
      ];
      for (const [other, noTools] of others) {
        try {
          const text = this.#run(input, other, noTools);
          this.#noTools = noTools;
          return text;
        } catch (second) {
          if (second instanceof JinjaLimitError) throw second;
        }
      }
      // What it said of the conversation as it is.
      throw error;
    }
  }

  #run(
    { messages, tools, think, bosToken, eosToken }: JinjaInput,
    habits: Habits,
    noTools = this.#noTools,
  ): string {
    const told = this.#harmony ? messages.map(harmonyMessage) : messages;
    return interpret(this.#template.parsed, {
      messages: jinjaMessages(told, habits),
      tools: tools.length > 0 ? tools : noTools,
      add_generation_prompt: true,
      bos_token: bosToken,
      eos_token: eosToken,
      ...(think !== undefined && {
        enable_thinking: Boolean(think),
        thinking: Boolean(think),
        reasoning: Boolean(think),
      }),
      ...this.#effort(think),
    });
  }

  /** Harmony knows three levels, and no way not to think: the lowest comes near. */
  #effort(think: JinjaInput['think']): { reasoning_effort?: ThinkLevel } {
    if (this.#harmony && think === false) return { reasoning_effort: 'low' };
    if (typeof think !== 'string') return {};
    return { reasoning_effort: this.#harmony && think === 'max' ? 'high' : think };
  }

  /** Finds out, once, what the template does with what these messages hold. */
  #learn(messages: Message[], tokens: Tokens): Habits {
    const habits = { ...this.#habits };
    if (messages.some(({ role }) => role === 'system')) {
      this.#system ??= this.#shows(SYSTEM, habits, tokens, 'probe-system');
      habits.system = this.#system;
    }
    if (messages.some(({ role, toolCalls }) => role === 'tool' || toolCalls?.length)) {
      this.#calls ??= this.#learnCalls(habits, tokens);
      Object.assign(habits, this.#calls);
    }
    return habits;
  }

  #learnCalls(habits: Habits, tokens: Tokens): CallHabits {
    const results = this.#shows(RESULT, habits, tokens, 'probe-result');
    const messages = results ? RESULT : CALL;
    for (const nullContent of [false, true]) {
      for (const calls of ['object', 'text'] as const) {
        const form = { calls, nullContent };
        if (this.#shows(messages, { ...habits, ...form }, tokens, 'probe-argument', '"probe-value"')) {
          return { ...form, results };
        }
      }
    }
    return { calls: 'none', nullContent: false, results };
  }

  #shows(messages: Message[], habits: Habits, { bosToken, eosToken }: Tokens, ...words: string[]): boolean {
    try {
      const input = { messages, tools: [PROBE_TOOL], think: undefined, bosToken, eosToken };
      const text = this.#run(input, habits).replaceAll('\\"', '"');
      return words.every((word) => text.includes(word) || text.includes(word.replaceAll('"', '')));
    } catch {
      return false;
    }
  }
}

const QUESTION: Message = { role: 'user', content: 'probe-question' };
const SYSTEM: Message[] = [{ role: 'system', content: 'probe-system' }, QUESTION];
const CALL: Message[] = [
  QUESTION,
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'probeid01', name: 'probe_tool', arguments: { 'probe-argument': 'probe-value' } }],
  },
];
const RESULT: Message[] = [
  ...CALL,
  { role: 'tool', content: 'probe-result', toolName: 'probe_tool', toolCallId: 'probeid01' },
];
const PROBE_TOOL: Tool = {
  type: 'function',
  function: {
    name: 'probe_tool',
    description: '',
    parameters: { type: 'object', properties: {}, required: [] },
  },
};

/** Harmony's templates refuse a message with text, thinking and calls: the text is thinking aloud. */
function harmonyMessage(message: Message): Message {
  if (!message.toolCalls?.length || !message.thinking || message.content === '') return message;
  return { ...message, thinking: `${message.thinking}\n\n${message.content}`, content: '' };
}
