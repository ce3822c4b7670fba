/** Takes the tags off an answer that stands between them. */
import { overlap } from '../../base/overlap.ts';

export class Unwrap {
  #state: 'start' | 'inside' | 'done' = 'start';
  #held = '';

  constructor(readonly tags: { open: string; close: string }) {}

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
        const keep = overlap(this.#held, this.tags.close);
        out = this.#held.slice(0, this.#held.length - keep);
        this.#held = this.#held.slice(this.#held.length - keep);
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

  /** What was held back, when nothing more comes. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
