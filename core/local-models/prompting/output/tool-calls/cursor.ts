/** Reads a call from the beginning of text that may still grow. */
import { scanJson } from './json-value.ts';

/** Thrown when the text ends before it is decided what it is. */
export class NeedMore extends Error {}

const SPACE = /\s/;

export class Cursor {
  /** `ended`: nothing more comes; then nothing throws `NeedMore`. */
  constructor(
    readonly text: string,
    public at: number,
    readonly ended: boolean,
  ) {}

  /** The character here; undefined behind the end of text that has ended. */
  peek(): string | undefined {
    if (this.at >= this.text.length) this.#more();
    return this.text[this.at];
  }

  space(): void {
    while (this.at < this.text.length && SPACE.test(this.text[this.at]!)) this.at++;
  }

  /** Whether `word` stands here; it is then read. */
  word(word: string): boolean {
    if (this.text.startsWith(word, this.at)) {
      this.at += word.length;
      return true;
    }
    const rest = this.text.length - this.at;
    if (rest < word.length && word.startsWith(this.text.slice(this.at))) this.#more();
    return false;
  }

  /** Whether one of the words stands here, the first in the list that does. */
  anyWord(words: readonly string[]): boolean {
    return words.some((word) => this.word(word));
  }

  /** The text up to `word`, which is read too. undefined = it never comes. */
  until(word: string): string | undefined {
    const end = this.text.indexOf(word, this.at);
    if (end < 0) {
      this.#more();
      return undefined;
    }
    const text = this.text.slice(this.at, end);
    this.at = end + word.length;
    return text;
  }

  /** The characters that belong to a name: letters, digits, `_`, `-` and `.`; '' when there are none. */
  name(): string {
    const start = this.at;
    while (this.at < this.text.length && /[\p{L}\p{N}_.-]/u.test(this.text[this.at]!)) this.at++;
    if (this.at === this.text.length) this.#more();
    return this.text.slice(start, this.at);
  }

  /** A JSON object or array as text. undefined = there is none, or it is cut or broken. */
  json(): string | undefined {
    const first = this.peek();
    if (first !== '{' && first !== '[') return undefined;
    const scan = scanJson(this.text, this.at);
    if (scan === 'incomplete') this.#more();
    if (typeof scan === 'string') return undefined;
    const text = this.text.slice(this.at, scan);
    this.at = scan;
    return text;
  }

  #more(): void {
    if (!this.ended) throw new NeedMore();
  }
}
