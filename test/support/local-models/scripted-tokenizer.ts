/**
 * A tokenizer for tests of protocols. A piece is a special token (`<|…|>`), or a word with the white space before it.
 * The pieces join to the text, and every distinct piece has its id for the tokenizer's lifetime.
 */
export class ScriptedTokenizer {
  readonly #ids = new Map<string, number>();
  readonly #pieces: string[] = [];

  split(text: string): string[] {
    return text.match(/<\|[^|>]*\|>|\s*(?:(?!<\|[^|>]*\|>)\S)+|\s+/g) ?? [];
  }

  encode(text: string): number[] {
    return this.split(text).map((piece) => this.id(piece));
  }

  id(piece: string): number {
    let id = this.#ids.get(piece);
    if (id === undefined) {
      id = this.#pieces.push(piece) - 1;
      this.#ids.set(piece, id);
    }
    return id;
  }

  /** Throws RangeError for an unknown id. */
  decode(ids: number[]): string {
    return ids
      .map((id) => {
        const piece = this.#pieces[id];
        if (piece === undefined) throw new RangeError(`unknown token ${id}`);
        return piece;
      })
      .join('');
  }
}
