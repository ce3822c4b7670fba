import { overlap } from '../base/overlap.ts';

/** Finds stop strings in streamed text. Text that may begin a stop string is held back until more text decides. */
export class StopStrings {
  readonly #stops: string[];
  #held = '';

  constructor(stops: string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** Returns the text that certainly belongs to the answer. `stopped`: a stop string follows it, so nothing else does. */
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

  /** Returns the text that was held back, at the end of the answer. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
