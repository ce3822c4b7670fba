import { overlap } from '../../base/overlap.ts';

/** Removes the tags around a streamed answer. */
export class AnswerUnwrapper {
  #state: 'start' | 'inside' | 'done' = 'start';
  #held = '';

  constructor(readonly tags: { open: string; close: string }) {}

  /** Returns the text that is certain to be no tag. */
  push(text: string): string {
    this.#held += text;
    if (this.#state === 'start') {
      const trimmed = this.#held.trimStart();
      if (trimmed.startsWith(this.tags.open)) {
        this.#held = trimmed.slice(this.tags.open.length);
        this.#state = 'inside';
      } else if (this.tags.open.startsWith(trimmed)) return '';
      else this.#state = 'done';
    }
    let out = '';
    if (this.#state === 'inside') {
      const end = this.#held.indexOf(this.tags.close);
      if (end < 0) {
        const certain = this.#held.length - overlap(this.#held, this.tags.close);
        out = this.#held.slice(0, certain);
        this.#held = this.#held.slice(certain);
        return out;
      }
      out = this.#held.slice(0, end);
      this.#held = this.#held.slice(end + this.tags.close.length);
      this.#state = 'done';
    }
    out += this.#held;
    this.#held = '';
    return out;
  }

  /** Returns the rest, when the stream has ended. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
