/** Calls as bare JSON: the answer begins with an object or array, and more may follow behind the first. */
import { endOfJson } from './json-value.ts';
import type { Piece, ToolCallFamily, ToolCallParser } from './parser.ts';
import { readCalls } from './read-call.ts';

export const bareJson: ToolCallFamily = {
  name: 'json',
  matches: () => true,
  create: (names) => new BareJsonParser(names),
};

class BareJsonParser implements ToolCallParser {
  #held = '';
  #state: 'start' | 'after-call' | 'text' = 'start';

  constructor(readonly names: ReadonlySet<string>) {}

  push(text: string): Piece[] {
    this.#held += text;
    const pieces: Piece[] = [];
    while (this.#state !== 'text') {
      const begin = this.#begin();
      if (begin === undefined) return pieces;
      if (begin < 0) {
        this.#becomeText();
        break;
      }
      const end = endOfJson(this.#held, begin);
      if (end === undefined) return pieces;
      const calls = readCalls(this.#held.slice(begin, end), this.names);
      if (!calls) {
        this.#becomeText();
        break;
      }
      pieces.push({ calls });
      this.#held = this.#held.slice(end);
      this.#state = 'after-call';
    }
    return [...pieces, ...this.end()];
  }

  end(): Piece[] {
    this.#becomeText();
    const text = this.#held;
    this.#held = '';
    return text === '' ? [] : [{ text }];
  }

  /** What separates calls is not part of the text that follows them. */
  #becomeText(): void {
    if (this.#state === 'after-call') this.#held = this.#held.replace(/^[\s,;]+/, '');
    this.#state = 'text';
  }

  /** Where the JSON begins; -1 when there is other text, undefined when only space (or a separator) is there yet. */
  #begin(): number | undefined {
    const at = this.#held.search(this.#state === 'start' ? /[^\s]/ : /[^\s,;]/);
    if (at < 0) return undefined;
    return this.#held[at] === '{' || this.#held[at] === '[' ? at : -1;
  }
}
