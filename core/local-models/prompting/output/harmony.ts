/**
 * Harmony, the output format of gpt-oss: messages in channels.
 * The channel `analysis` is thinking and `final` the answer.
 * The channel `commentary` is text for people, or a call if its header names a function.
 */
import { overlap } from '../../base/overlap.ts';
import { CHANNEL, HARMONY_ANSWER, MESSAGE, START } from '../templates/harmony-format.ts';
import type { OutputParser, OutputPiece } from './output-parser.ts';
import { findFirst } from './thinking.ts';
import { toToolCall } from './tool-calls/read-call.ts';
import type { RequestTools } from './tool-calls/request-tools.ts';

/** Tokens that end a message. `START` and `CHANNEL` also begin the header of the next one. */
const ENDS = ['<|end|>', '<|call|>', '<|return|>', START, CHANNEL];
/** Texts that a message's header may begin with. */
const HEADERS = [CHANNEL, START, 'assistant', 'to='];

/** Tokens that end an answer; some engines do not treat them as end tokens. */
export const HARMONY_STOPS = ['<|return|>', '<|call|>'];

type State =
  | { kind: 'header' }
  | { kind: 'thinking' }
  | { kind: 'text' }
  | { kind: 'call'; header: string; name: string };

export class HarmonyParser implements OutputParser {
  #raw = '';
  #held = '';
  #textBeforeAnswer: string | undefined;
  #state: State = { kind: 'header' };

  /**
   * @param prompt ends with the beginning of the answer's message, perhaps with its channel
   * @param dropsThinking whether thinking is left out of the pieces
   */
  constructor(
    readonly tools: RequestTools,
    prompt: string,
    readonly dropsThinking = false,
  ) {
    const open = prompt.slice(prompt.lastIndexOf(START));
    const message = open.indexOf(MESSAGE);
    if (open.startsWith(START) && message >= 0) this.#enter(open.slice(0, message));
  }

  get textBeforeAnswer(): string | undefined {
    return this.#textBeforeAnswer;
  }

  push(text: string): OutputPiece[] {
    this.#held += text;
    this.#raw += text;
    const pieces: OutputPiece[] = [];
    while (this.#advance(pieces, false));
    return pieces;
  }

  end(): OutputPiece[] {
    const pieces: OutputPiece[] = [];
    while (this.#advance(pieces, true));
    const held = this.#held;
    this.#held = '';
    if (this.#state.kind === 'call') pieces.push(...this.#call(this.#state, held));
    else if (this.#state.kind === 'thinking') pieces.push(...this.#thinking(held));
    // A header that was cut off is no text of the answer.
    else if (this.#state.kind === 'text') pieces.push(...textPiece(held));
    return pieces;
  }

  /** Returns whether the held text may allow another step. */
  #advance(pieces: OutputPiece[], ended: boolean): boolean {
    if (this.#held === '') return false;
    return this.#state.kind === 'header' ? this.#readHeader(ended) : this.#readBody(pieces, this.#state);
  }

  #readHeader(ended: boolean): boolean {
    const trimmed = this.#held.trimStart();
    if (!HEADERS.some((word) => trimmed.startsWith(word))) {
      if (!ended && HEADERS.some((word) => word.startsWith(trimmed))) return false;
      // The model does not follow the format: all of its output is the answer.
      this.#enter('');
      return true;
    }
    const end = this.#held.indexOf(MESSAGE);
    if (end < 0) return false;
    this.#enter(this.#held.slice(0, end));
    this.#held = this.#held.slice(end + MESSAGE.length);
    return true;
  }

  /** Begins the message with this header. */
  #enter(header: string): void {
    const name = /\bto=([^\s<]+)/.exec(header)?.[1];
    const channel = /<\|channel\|>\s*(\w+)/.exec(header)?.[1];
    if (name !== undefined) this.#state = { kind: 'call', header, name: name.replace(/^functions\./, '') };
    else if (channel === 'analysis') this.#state = { kind: 'thinking' };
    else {
      this.#state = { kind: 'text' };
      const before = this.#raw.slice(0, this.#raw.length - this.#held.length);
      const role = header.includes(START) ? `${START}assistant` : '';
      this.#textBeforeAnswer ??= `${before}${role}${HARMONY_ANSWER}`;
    }
  }

  #readBody(pieces: OutputPiece[], state: Exclude<State, { kind: 'header' }>): boolean {
    const end = findFirst(this.#held, ENDS);
    if (!end) {
      if (state.kind === 'call') return false;
      const uncertain = Math.max(...ENDS.map((word) => overlap(this.#held, word)));
      const certain = this.#held.slice(0, this.#held.length - uncertain);
      pieces.push(...(state.kind === 'thinking' ? this.#thinking(certain) : textPiece(certain)));
      this.#held = this.#held.slice(certain.length);
      return false;
    }
    const body = this.#held.slice(0, end.at);
    if (state.kind === 'call') pieces.push(...this.#call(state, body));
    else pieces.push(...(state.kind === 'thinking' ? this.#thinking(body) : textPiece(body)));
    const beginsNext = end.word === START || end.word === CHANNEL;
    this.#held = this.#held.slice(end.at + (beginsNext ? 0 : end.word.length));
    this.#state = { kind: 'header' };
    return true;
  }

  #thinking(text: string): OutputPiece[] {
    return text === '' || this.dropsThinking ? [] : [{ thinking: text }];
  }

  #call({ header, name }: Extract<State, { kind: 'call' }>, body: string): OutputPiece[] {
    const call = toToolCall(name, body, this.tools);
    return call ? [{ calls: [call] }] : textPiece(`${header}${MESSAGE}${body}`);
  }
}

function textPiece(text: string): OutputPiece[] {
  return text === '' ? [] : [{ text }];
}
