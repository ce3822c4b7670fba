/**
 * Harmony, the form in which gpt-oss answers: messages in channels. `analysis` is thinking, `final` the answer,
 * `commentary` text for people, or a call when it is addressed to a function.
 */
import { overlap } from '../../base/overlap.ts';
import { CHANNEL, HARMONY_ANSWER, MESSAGE, START } from '../templates/harmony-format.ts';
import type { OutputParser, OutputPiece } from './output-parser.ts';
import { firstOf } from './thinking.ts';
import type { KnownTools } from './tool-calls/index.ts';
import { callOf } from './tool-calls/read-call.ts';

const ENDS = ['<|end|>', '<|call|>', '<|return|>', START, CHANNEL];
/** What the header of a message may begin with. */
const HEADERS = [CHANNEL, START, 'assistant', 'to='];

/** What ends an answer, wherever an engine does not know it. */
export const HARMONY_STOPS = ['<|return|>', '<|call|>'];

type State =
  | { kind: 'header' }
  | { kind: 'thinking' }
  | { kind: 'text' }
  | { kind: 'call'; header: string; name: string };

export class HarmonyParser implements OutputParser {
  #raw = '';
  #held = '';
  #thought: string | undefined;
  #state: State = { kind: 'header' };

  /** `prompt`: ends with the beginning of the answer's message, perhaps with its channel; `silent`: thinking is not told. */
  constructor(
    readonly tools: KnownTools,
    prompt: string,
    readonly silent = false,
  ) {
    const open = prompt.slice(prompt.lastIndexOf(START));
    const message = open.indexOf(MESSAGE);
    if (open.startsWith(START) && message >= 0) this.#open(open.slice(0, message));
  }

  get thought(): string | undefined {
    return this.#thought;
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
    // A header that was cut off is nothing that anybody said.
    else if (this.#state.kind === 'text') pieces.push(...said(held));
    return pieces;
  }

  /** Returns whether there may be more to do with what is held. */
  #advance(pieces: OutputPiece[], ended: boolean): boolean {
    if (this.#held === '') return false;
    return this.#state.kind === 'header' ? this.#header(ended) : this.#body(pieces, this.#state);
  }

  #header(ended: boolean): boolean {
    const trimmed = this.#held.trimStart();
    if (!HEADERS.some((word) => trimmed.startsWith(word))) {
      if (!ended && HEADERS.some((word) => word.startsWith(trimmed))) return false;
      // Not the form that was asked for, but an answer all the same.
      this.#open('');
      return true;
    }
    const end = this.#held.indexOf(MESSAGE);
    if (end < 0) return false;
    this.#open(this.#held.slice(0, end));
    this.#held = this.#held.slice(end + MESSAGE.length);
    return true;
  }

  #open(header: string): void {
    const name = /\bto=([^\s<]+)/.exec(header)?.[1];
    const channel = /<\|channel\|>\s*(\w+)/.exec(header)?.[1];
    if (name !== undefined) this.#state = { kind: 'call', header, name: name.replace(/^functions\./, '') };
    else if (channel === 'analysis') this.#state = { kind: 'thinking' };
    else {
      this.#state = { kind: 'text' };
      const before = this.#raw.slice(0, this.#raw.length - this.#held.length);
      this.#thought ??= `${before}${header.includes(START) ? `${START}assistant` : ''}${HARMONY_ANSWER}`;
    }
  }

  #body(pieces: OutputPiece[], state: Exclude<State, { kind: 'header' }>): boolean {
    const end = firstOf(this.#held, ENDS);
    if (!end) {
      if (state.kind === 'call') return false;
      const keep = Math.max(...ENDS.map((word) => overlap(this.#held, word)));
      const certain = this.#held.slice(0, this.#held.length - keep);
      pieces.push(...(state.kind === 'thinking' ? this.#thinking(certain) : said(certain)));
      this.#held = this.#held.slice(certain.length);
      return false;
    }
    const body = this.#held.slice(0, end.at);
    if (state.kind === 'call') pieces.push(...this.#call(state, body));
    else pieces.push(...(state.kind === 'thinking' ? this.#thinking(body) : said(body)));
    // The tokens that begin the next message stay for its header.
    const taken = end.word === START || end.word === CHANNEL ? 0 : end.word.length;
    this.#held = this.#held.slice(end.at + taken);
    this.#state = { kind: 'header' };
    return true;
  }

  #thinking(text: string): OutputPiece[] {
    return text === '' || this.silent ? [] : [{ thinking: text }];
  }

  #call({ header, name }: Extract<State, { kind: 'call' }>, body: string): OutputPiece[] {
    const call = callOf(name, body, this.tools);
    return call ? [{ calls: [call] }] : said(`${header}${MESSAGE}${body}`);
  }
}

function said(text: string): OutputPiece[] {
  return text === '' ? [] : [{ text }];
}
