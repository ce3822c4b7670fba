/** Calls between tags, anywhere in the answer: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`. */
import { overlap } from '../../generation/overlap.ts';
import type { Piece, ToolCallFamily, ToolCallParser } from './parser.ts';
import { readCalls } from './read-call.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

export const hermes: ToolCallFamily = {
  name: 'hermes',
  matches: (template) => template.includes(OPEN),
  create: (names) => new HermesParser(names),
};

class HermesParser implements ToolCallParser {
  #held = '';
  #afterCall = false;

  constructor(readonly names: ReadonlySet<string>) {}

  push(text: string): Piece[] {
    this.#held += text;
    const pieces: Piece[] = [];
    for (let open = this.#held.indexOf(OPEN); open >= 0; open = this.#held.indexOf(OPEN)) {
      const before = this.#held.slice(0, open);
      // White space before a call belongs to nobody.
      if (before.trim() !== '') pieces.push({ text: before });
      this.#held = this.#held.slice(open);
      const close = this.#held.indexOf(CLOSE);
      if (close < 0) return pieces;
      const end = close + CLOSE.length;
      pieces.push(this.#call(this.#held.slice(OPEN.length, close), this.#held.slice(0, end)));
      this.#held = this.#held.slice(end);
    }
    const certain = this.#held.slice(0, this.#held.length - overlap(this.#held, OPEN)).trimEnd();
    if (certain !== '') {
      pieces.push({ text: certain });
      this.#held = this.#held.slice(certain.length);
      this.#afterCall = false;
    }
    return pieces;
  }

  end(): Piece[] {
    const held = this.#held;
    this.#held = '';
    // Some models end their answer instead of closing the tag.
    if (held.startsWith(OPEN)) return [this.#call(held.slice(OPEN.length), held)];
    return held === '' || (this.#afterCall && held.trim() === '') ? [] : [{ text: held }];
  }

  #call(inner: string, whole: string): Piece {
    const calls = readCalls(inner.trim(), this.names);
    this.#afterCall = calls !== undefined;
    return calls ? { calls } : { text: whole };
  }
}
