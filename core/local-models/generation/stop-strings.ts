import { overlap } from '../base/overlap.ts';

/** Finds stop strings in streamed text. What may be the beginning of one is held back until that is decided. */
export class StopStrings {
  readonly #stops: string[];
  #held = '';

  constructor(stops: string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** The text that is certain, and whether a stop string was reached; then the text before it is all there is. */
  push(text: string): { text: string; stopped: boolean } {
    const all = this.#held + text;
    let first = -1;
    for (const stop of this.#stops) {
      const at = all.indexOf(stop);
      if (at >= 0 && (first < 0 || at < first)) first = at;
    }
    if (first >= 0) {
      this.#held = '';
      return { text: all.slice(0, first), stopped: true };
    }
    const keep = this.#stops.reduce((longest, stop) => Math.max(longest, overlap(all, stop)), 0);
    this.#held = all.slice(all.length - keep);
    return { text: all.slice(0, all.length - keep), stopped: false };
  }

  /** What was held back, when nothing more comes. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
