import { scanJson } from './scan-json.ts';

/** Thrown when the text ends before a decision is possible. */
export class NeedMore extends Error {}

const SPACE = /\s/;

/** Reads from a text to which more may be added. Its methods throw `NeedMore` unless the text has ended. */
export class Cursor {
  /** @param ended whether the text is complete */
  constructor(
    readonly text: string,
    public at: number,
    readonly ended: boolean,
  ) {}

  /** The character at the cursor. Undefined at the end of a complete text. */
  peek(): string | undefined {
    if (this.at >= this.text.length) this.#needMore();
    return this.text[this.at];
  }

  /** Skips white space. */
  space(): void {
    while (this.at < this.text.length && SPACE.test(this.text[this.at]!)) this.at++;
  }

  /** Whether `word` follows; if so, it is read. */
  word(word: string): boolean {
    if (this.text.startsWith(word, this.at)) {
      this.at += word.length;
      return true;
    }
    const rest = this.text.length - this.at;
    if (rest < word.length && word.startsWith(this.text.slice(this.at))) this.#needMore();
    return false;
  }

  /** Whether one of the words follows; if so, the first of the list that does is read. */
  anyWord(words: readonly string[]): boolean {
    return words.some((word) => this.word(word));
  }

  /** Reads space and one of the words, if they follow. Some models end their answer without the closing tag. */
  skipAny(words: readonly string[]): void {
    const start = this.at;
    this.space();
    if (!this.anyWord(words)) this.at = start;
  }

  /** Reads up to the end of `word` and returns the text before it. Undefined: it never follows. */
  until(word: string): string | undefined {
    const end = this.text.indexOf(word, this.at);
    if (end < 0) {
      this.#needMore();
      return undefined;
    }
    const text = this.text.slice(this.at, end);
    this.at = end + word.length;
    return text;
  }

  /** Reads a name of letters, digits, `_`, `-` and `.`; may be empty. */
  name(): string {
    const start = this.at;
    while (this.at < this.text.length && /[\p{L}\p{N}_.-]/u.test(this.text[this.at]!)) this.at++;
    if (this.at === this.text.length) this.#needMore();
    return this.text.slice(start, this.at);
  }

  /** Reads the text of a JSON object or array. Undefined: none follows, or it is cut off or malformed. */
  json(): string | undefined {
    const first = this.peek();
    if (first !== '{' && first !== '[') return undefined;
    const end = scanJson(this.text, this.at);
    if (end === 'incomplete') this.#needMore();
    if (typeof end === 'string') return undefined;
    const text = this.text.slice(this.at, end);
    this.at = end;
    return text;
  }

  #needMore(): void {
    if (!this.ended) throw new NeedMore();
  }
}
