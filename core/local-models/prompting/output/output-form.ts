/** What a model says, taken apart: thinking, text for people, calls of tools. How, is read off its template. */
import type { ThinkLevel, Tool } from '../../base/messages.ts';
import { isHarmony } from '../templates/harmony-format.ts';
import { HARMONY_STOPS, HarmonyParser } from './harmony.ts';
import type { OutputParser, OutputPiece } from './output-parser.ts';
import { ThinkingParser, type ThinkingTags, thinkingTags } from './thinking.ts';
import { KnownTools, type ToolCallParser, toolCallParser } from './tool-calls/index.ts';
import { Unwrap } from './unwrap.ts';

export interface OutputOptions {
  /** The source of the model's template. */
  template: string;
  /** The parser that was chosen for the model when it was created. */
  parser?: string | undefined;
  tools: Tool[];
  /** Whether thinking is to be told apart; false: none is wanted. */
  think: boolean | ThinkLevel | undefined;
}

export interface OutputForm {
  /** Texts that end an answer of this model, besides its own stop strings. */
  stop: string[];
  /** Whether the output may begin with something else than the answer. */
  thinks: boolean;
  /** `prompt`: what the output follows. */
  parser(prompt: string): OutputParser;
  /** For output that begins behind the thinking. */
  answerParser(): OutputParser;
}

export function outputForm({ template, parser, tools, think }: OutputOptions): OutputForm {
  if (parser === 'passthrough') return { stop: [], thinks: false, parser: plain, answerParser: plain };
  if (parser === undefined ? isHarmony(template) : /^(harmony|gpt-?oss)/.test(parser)) {
    // A model that cannot be kept from thinking thinks in silence.
    const create = (prompt: string) => new HarmonyParser(new KnownTools(tools), prompt, think === false);
    return {
      stop: HARMONY_STOPS,
      thinks: true,
      parser: create,
      answerParser: () => create('<|start|>assistant<|channel|>final<|message|>'),
    };
  }
  const tags = thinkingTags(template);
  const create = (prompt: string | undefined) =>
    new TaggedOutput(
      tags,
      think && prompt !== undefined ? new ThinkingParser(tags, prompt) : undefined,
      tools.length > 0 ? toolCallParser(template, tools, parser) : undefined,
    );
  return { stop: [], thinks: Boolean(think), parser: create, answerParser: () => create(undefined) };
}

function plain(): OutputParser {
  return { push: (text) => (text === '' ? [] : [{ text }]), end: () => [], thought: '' };
}

/** Thinking between tags, then the answer with its calls. */
class TaggedOutput implements OutputParser {
  #raw = '';
  readonly #wrapper: Unwrap | undefined;

  constructor(
    readonly tags: ThinkingTags,
    readonly thinking: ThinkingParser | undefined,
    readonly tools: ToolCallParser | undefined,
  ) {
    this.#wrapper = tags.answer && new Unwrap(tags.answer);
  }

  get thought(): string | undefined {
    if (!this.thinking?.finished) return this.thinking ? undefined : '';
    const ends = this.tags.close.map((close) => this.#raw.indexOf(close) + close.length);
    const end = ends.filter((at, index) => at >= this.tags.close[index]!.length);
    return end.length === 0 ? '' : this.#raw.slice(0, Math.min(...end));
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
    pieces.push(...this.#unwrapped(this.#wrapper?.flush() ?? ''));
    return [...pieces, ...(this.tools?.end() ?? [])];
  }

  #answer(content: string): OutputPiece[] {
    return this.#unwrapped(this.#wrapper ? this.#wrapper.push(content) : content);
  }

  #unwrapped(text: string): OutputPiece[] {
    if (text === '') return [];
    return this.tools ? this.tools.push(text) : [{ text }];
  }
}
