/** A repeatable source of random numbers (xorshift32 by Marsaglia). */
export class Random {
  #state: number;

  constructor(seed: number) {
    // A state of zero would stay zero.
    this.#state = (Math.imul(seed, 2654435761) ^ 0x9e3779b9) >>> 0 || 1;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}
