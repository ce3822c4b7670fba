const MAX_REPEATS = 30;

/** Notices a model that says the same token over and over, white space aside. */
export class Repetition {
  #last = '';
  #repeats = 0;

  /** True when `text` is one repeat too many. */
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
