/** Decides by a model's template how its output is split into thinking, text and tool calls. */
import type { ThinkLevel, Tool } from '../../base/messages.ts';
import { isHarmony } from '../templates/harmony-format.ts';
import { AnswerUnwrapper } from './answer-unwrapper.ts';
import { HARMONY_STOPS, HarmonyParser } from './harmony.ts';
import type { OutputParser, OutputPiece } from './output-parser.ts';
import { ThinkingParser, type ThinkingTags, thinkingTags } from './thinking.ts';
import { toolCallParser } from './tool-calls/families.ts';
import { RequestTools } from './tool-calls/request-tools.ts';
import type { ToolCallParser } from './tool-calls/tool-call-parser.ts';

export interface OutputOptions {
  /** The source of the model's template. */
  template: string;
  /** The parser that the model's Modelfile names (PARSER). */
  parser?: string | undefined;
  tools: Tool[];
  /** Whether thinking is separated from the answer. False: the client wants no thinking. */
  think: boolean | ThinkLevel | undefined;
}

/** The format of a model's output. */
export interface OutputForm {
  /** Texts that end an answer of this model, in addition to its own stop strings. */
  stop: string[];
  /** Whether anything may precede the answer in the output. */
  thinks: boolean;
  /** The parser for output that follows `prompt`. */
  parser(prompt: string): OutputParser;
  /** The parser for output that begins after the thinking. */
  answerParser(): OutputParser;
}

/** The output format of a model with this template, or with this PARSER. */
export function outputForm({ template, parser, tools, think }: OutputOptions): OutputForm {
  if (parser === 'passthrough') {
    return { stop: [], thinks: false, parser: plainText, answerParser: plainText };
  }
  if (parser === undefined ? isHarmony(template) : /^(harmony|gpt-?oss)/.test(parser)) {
    // gpt-oss always thinks. When the client wants no thinking, its thinking is dropped.
    const create = (prompt: string) => new HarmonyParser(new RequestTools(tools), prompt, think === false);
    return {
      stop: HARMONY_STOPS,
      thinks: true,
      parser: create,
      answerParser: () => create('<|start|>assistant<|channel|>final<|message|>'),
    };
  }
  const tags = thinkingTags(template);
  const create = (prompt: string | undefined) =>
    new TaggedOutputParser(
      tags,
      think && prompt !== undefined ? new ThinkingParser(tags, prompt) : undefined,
      tools.length > 0 ? toolCallParser(template, tools, parser) : undefined,
    );
  return { stop: [], thinks: Boolean(think), parser: create, answerParser: () => create(undefined) };
}

function plainText(): OutputParser {
  return { push: (text) => (text === '' ? [] : [{ text }]), end: () => [], textBeforeAnswer: '' };
}

/** Thinking between tags, then the answer with its calls. */
class TaggedOutputParser implements OutputParser {
  /** The output until the thinking ended. */
  #raw = '';
  readonly #unwrapper: AnswerUnwrapper | undefined;

  /**
   * @param thinking undefined: thinking is part of the answer
   * @param tools undefined: tool calls are text
   */
  constructor(
    readonly tags: ThinkingTags,
    readonly thinking: ThinkingParser | undefined,
    readonly tools: ToolCallParser | undefined,
  ) {
    this.#unwrapper = tags.answer && new AnswerUnwrapper(tags.answer);
  }

  get textBeforeAnswer(): string | undefined {
    if (!this.thinking?.finished) return this.thinking ? undefined : '';
    const ends = this.tags.close.flatMap((close) => {
      const at = this.#raw.indexOf(close);
      return at < 0 ? [] : [at + close.length];
    });
    return ends.length === 0 ? '' : this.#raw.slice(0, Math.min(...ends));
  }

  push(text: string): OutputPiece[] {
    if (!this.thinking) return this.#answer(text);
    if (!this.thinking.finished) this.#raw += text;
    const { thinking, content } = this.thinking.push(text);
    return [...(thinking === '' ? [] : [{ thinking }]), ...this.#answer(content)];
  }

  end(): OutputPiece[] {
    const pieces: OutputPiece[] = [];
    const rest = this.thinking?.flush();
    if (rest && rest.thinking !== '') pieces.push({ thinking: rest.thinking });
    if (rest) pieces.push(...this.#answer(rest.content));
    pieces.push(...this.#findCalls(this.#unwrapper?.flush() ?? ''));
    return [...pieces, ...(this.tools?.end() ?? [])];
  }

  #answer(content: string): OutputPiece[] {
    return this.#findCalls(this.#unwrapper ? this.#unwrapper.push(content) : content);
  }

  #findCalls(text: string): OutputPiece[] {
    if (text === '') return [];
    return this.tools ? this.tools.push(text) : [{ text }];
  }
}
