/** The limit of repeated tokens, the same as Ollama's. */
const MAX_REPEATS = 30;

/** Detects a model that repeats the same token, apart from white space. */
export class Repetition {
  #last = '';
  #repeats = 0;

  /** Returns true when `text` is one repeat too many. */
  push(text: string): boolean {
    const trimmed = text.trim();
    if (trimmed === this.#last) this.#repeats++;
    else {
      this.#last = trimmed;
      this.#repeats = 0;
    }
    return this.#repeats > MAX_REPEATS;
  }
}
