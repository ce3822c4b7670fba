import { Template } from '@huggingface/jinja';
import type { Message, ThinkLevel, Tool } from '#core/local-models/base/messages.ts';
import { HARMONY_ANSWER, isHarmony } from '../harmony-format.ts';
import { interpret, JinjaError, JinjaLimitError } from './bounded-interpreter.ts';
import { jinjaMessages, type MessageFormat } from './jinja-messages.ts';
import { CALL_PROBE, PROBE_TOOL, RESULT_PROBE, SYSTEM_PROBE } from './probes.ts';

export { JinjaError } from './bounded-interpreter.ts';

/** The largest length of a template, in characters. */
const MAX_SOURCE = 512 * 1024;

export interface JinjaInput {
  messages: Message[];
  tools: Tool[];
  think: boolean | ThinkLevel | undefined;
  bosToken: string;
  eosToken: string;
}

type CallFormat = Pick<MessageFormat, 'argumentsAs' | 'nullContent' | 'toolResults'>;
type Tokens = Pick<JinjaInput, 'bosToken' | 'eosToken'>;

/** A chat template from a model file. It is untrusted: its time, steps and output are bounded. */
export class JinjaTemplate {
  readonly #template: Template;
  readonly #isHarmony: boolean;
  readonly #defaultFormat: MessageFormat;
  /** Results of the probes; undefined before the first conversation that needs them. */
  #systemMessages: boolean | undefined;
  #callFormat: CallFormat | undefined;
  /** The value of `tools` without tools: some templates accept nothing but an empty list. */
  #noTools: null | [] = null;

  /** @throws JinjaError when the source is too long, or cannot be parsed */
  constructor(readonly source: string) {
    if (source.length > MAX_SOURCE) throw new JinjaError('the chat template is too long');
    try {
      this.#template = new Template(source);
    } catch (error) {
      const isTooDeep = error instanceof RangeError;
      throw new JinjaError(isTooDeep ? 'the chat template is too deeply nested' : (error as Error).message);
    }
    this.#isHarmony = isHarmony(source);
    const idLength = /id\s*\|\s*length\s*!=\s*(\d+)/.exec(source)?.[1];
    this.#defaultFormat = {
      argumentsAs: 'object',
      nullContent: false,
      callTag: source.includes('<|tool_call|>') ? '<|tool_call|>' : '',
      toolResults: true,
      systemMessages: true,
      alternatingRoles: false,
      ...(idLength && { idLength: Number(idLength) }),
    };
  }

  /**
   * The prompt for a conversation. A last message of the assistant is continued: the prompt ends with its text.
   * @throws JinjaError with the template's message, or when it exceeds a limit
   */
  render(input: JinjaInput): string {
    const all = this.#renameDevelopers(input.messages);
    const last = all.at(-1);
    const prefix = last?.role === 'assistant' && !last.toolCalls?.length ? last.content : undefined;
    const messages = prefix === undefined ? all : all.slice(0, -1);
    const format = this.#formatFor(messages, input);
    // The answer has begun, so the thinking is over. In Harmony the channel says so.
    const think = prefix && !this.#isHarmony ? false : input.think;
    const text = this.#renderInAnyForm({ ...input, messages, think }, format);
    if (prefix === undefined) return text;
    return text + (this.#isHarmony && prefix !== '' ? HARMONY_ANSWER : '') + prefix;
  }

  /** `developer` is OpenAI's newer name of the role `system`; few templates know it. */
  #renameDevelopers(messages: Message[]): Message[] {
    if (this.source.includes('developer')) return messages;
    return messages.map((message) =>
      message.role === 'developer' ? { ...message, role: 'system' } : message,
    );
  }

  /** A template that refuses a conversation gets it once more, as alternating turns of user and assistant. */
  #renderInAnyForm(input: JinjaInput, format: MessageFormat): string {
    try {
      return this.#run(input, format);
    } catch (error) {
      if (error instanceof JinjaLimitError) throw error;
      const fallbacks: [MessageFormat, null | []][] = [
        ...(input.tools.length === 0 ? [[format, []] as [MessageFormat, []]] : []),
        [{ ...format, systemMessages: false, alternatingRoles: true }, this.#noTools],
      ];
      for (const [fallback, noTools] of fallbacks) {
        try {
          const text = this.#run(input, fallback, noTools);
          this.#noTools = noTools;
          return text;
        } catch (secondError) {
          if (secondError instanceof JinjaLimitError) throw secondError;
        }
      }
      // The first error is about the conversation as the client sent it.
      throw error;
    }
  }

  #run(
    { messages, tools, think, bosToken, eosToken }: JinjaInput,
    format: MessageFormat,
    noTools = this.#noTools,
  ): string {
    const adapted = this.#isHarmony ? messages.map(harmonyMessage) : messages;
    return interpret(this.#template.parsed, {
      messages: jinjaMessages(adapted, format),
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

  /** Harmony knows three levels and always thinks: without thinking it gets the lowest one. */
  #effort(think: JinjaInput['think']): { reasoning_effort?: ThinkLevel } {
    if (this.#isHarmony && think === false) return { reasoning_effort: 'low' };
    if (typeof think !== 'string') return {};
    return { reasoning_effort: this.#isHarmony && think === 'max' ? 'high' : think };
  }

  /** The format for these messages. Probes the template for the parts of a conversation that they contain. */
  #formatFor(messages: Message[], tokens: Tokens): MessageFormat {
    const format = { ...this.#defaultFormat };
    if (messages.some(({ role }) => role === 'system')) {
      this.#systemMessages ??= this.#prints(['probe-system'], SYSTEM_PROBE, format, tokens);
      format.systemMessages = this.#systemMessages;
    }
    if (messages.some(({ role, toolCalls }) => role === 'tool' || toolCalls?.length)) {
      this.#callFormat ??= this.#probeCalls(format, tokens);
      Object.assign(format, this.#callFormat);
    }
    return format;
  }

  #probeCalls(format: MessageFormat, tokens: Tokens): CallFormat {
    const toolResults = this.#prints(['probe-result'], RESULT_PROBE, format, tokens);
    const messages = toolResults ? RESULT_PROBE : CALL_PROBE;
    for (const nullContent of [false, true]) {
      for (const argumentsAs of ['object', 'text'] as const) {
        const candidate = { ...format, argumentsAs, nullContent };
        if (this.#prints(['probe-argument', '"probe-value"'], messages, candidate, tokens)) {
          return { argumentsAs, nullContent, toolResults };
        }
      }
    }
    return { argumentsAs: 'none', nullContent: false, toolResults };
  }

  /** Whether the template prints all of the words, with or without their quotes. */
  #prints(
    words: string[],
    messages: Message[],
    format: MessageFormat,
    { bosToken, eosToken }: Tokens,
  ): boolean {
    try {
      const input = { messages, tools: [PROBE_TOOL], think: undefined, bosToken, eosToken };
      const text = this.#run(input, format).replaceAll('\\"', '"');
      return words.every((word) => text.includes(word) || text.includes(word.replaceAll('"', '')));
    } catch {
      return false;
    }
  }
}

/** Harmony's templates refuse a message with text, thinking and calls: its text becomes part of the thinking. */
function harmonyMessage(message: Message): Message {
  if (!message.toolCalls?.length || !message.thinking || message.content === '') return message;
  return { ...message, thinking: `${message.thinking}\n\n${message.content}`, content: '' };
}
