/** What one key may use: so many requests a minute, so many at once. */
export interface Limits {
  /** undefined: as many as come. */
  perMinute?: number;
  atOnce?: number;
}

/** `seconds`: when it is worth asking again. */
export type Verdict = 'allowed' | { reason: 'rate' | 'concurrency'; seconds: number };

const MINUTE = 60_000;
/** Nobody can know when a running answer ends. */
const SOON = 1;

/** A bucket that fills evenly over the minute, and a count of what runs. */
export class Allowance {
  #left: number;
  #filledAt: number;
  #running = 0;

  constructor(
    private readonly limits: Limits,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#left = limits.perMinute ?? 0;
    this.#filledAt = now();
  }

  /** Takes a place; `leave` gives it back. */
  enter(): Verdict {
    const { perMinute, atOnce } = this.limits;
    if (atOnce !== undefined && this.#running >= atOnce) return { reason: 'concurrency', seconds: SOON };
    if (perMinute !== undefined) {
      const now = this.now();
      this.#left = Math.min(perMinute, this.#left + ((now - this.#filledAt) / MINUTE) * perMinute);
      this.#filledAt = now;
      if (this.#left < 1) {
        return { reason: 'rate', seconds: Math.max(1, Math.ceil(((1 - this.#left) * 60) / perMinute)) };
      }
      this.#left--;
    }
    this.#running++;
    return 'allowed';
  }

  leave(): void {
    this.#running--;
  }
}
