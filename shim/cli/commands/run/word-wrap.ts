/**
 * Wraps streamed text at words. A word that does not fit is erased and printed again on the next line. The
 * terminal breaks words that are longer than a line.
 */
export class WordWrap {
  #column = 0;
  #word = '';
  #wordWidth = 0;

  constructor(private readonly columns: () => number | undefined) {}

  write(text: string): string {
    const columns = this.columns() ?? 0;
    // Very narrow terminals wrap the text themselves.
    if (columns < 20) return text;
    let out = '';
    for (const character of text) {
      if (character === '\n') {
        out += character;
        this.#column = 0;
        this.#endWord();
        continue;
      }
      const width = widthOf(character);
      if (this.#column + width > columns - 1) {
        const isWholeLine = this.#wordWidth >= this.#column;
        if (character === ' ') {
          out += '\n';
          this.#column = 0;
          this.#endWord();
          continue;
        }
        if (this.#wordWidth > 0 && !isWholeLine) out += `\x1b[${this.#wordWidth}D\x1b[K\n${this.#word}`;
        else {
          out += '\n';
          this.#endWord();
        }
        this.#column = this.#wordWidth;
      }
      out += character;
      this.#column += width;
      if (character === ' ' || width === 2) this.#endWord();
      else {
        this.#word += character;
        this.#wordWidth += width;
      }
    }
    return out;
  }

  #endWord(): void {
    this.#word = '';
    this.#wordWidth = 0;
  }
}

/**
 * Columns on a terminal. Characters of width 2 belong to scripts without spaces, which may be broken
 * anywhere.
 */
function widthOf(character: string): number {
  if (/^[\p{M}\p{Cf}]/u.test(character)) return 0;
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u.test(
    character,
  )
    ? 2
    : 1;
}
