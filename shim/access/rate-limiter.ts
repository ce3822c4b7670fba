/** Limits of one key. Undefined means unlimited. */
export interface KeyLimits {
  /** The most requests a minute. */
  perMinute?: number;
  /** The most requests that run at the same time. */
  atOnce?: number;
}

/** `seconds`: the delay after which a new attempt can succeed. */
export type RateVerdict = 'allowed' | { reason: 'rate' | 'concurrency'; seconds: number };

const MINUTE = 60_000;
/** Seconds after which a client may try again. The end of a running response cannot be predicted. */
export const RETRY_WHEN_BUSY = 1;

/** Counts the requests of one key. */
export interface Limiter {
  /** Counts a request as running until `leave` is called, if it is allowed. */
  enter(): RateVerdict | Promise<RateVerdict>;
  leave(): void;
}

/** A token bucket that fills evenly over the minute, and a count of running requests. */
export class RateLimiter implements Limiter {
  #tokens: number;
  #filledAt: number;
  #running = 0;

  constructor(
    private readonly limits: KeyLimits,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#tokens = limits.perMinute ?? 0;
    this.#filledAt = now();
  }

  /** Counts a request as running until `leave` is called. */
  enter(): RateVerdict {
    const { perMinute, atOnce } = this.limits;
    if (atOnce !== undefined && this.#running >= atOnce)
      return { reason: 'concurrency', seconds: RETRY_WHEN_BUSY };
    if (perMinute !== undefined) {
      const now = this.now();
      this.#tokens = Math.min(perMinute, this.#tokens + ((now - this.#filledAt) / MINUTE) * perMinute);
      this.#filledAt = now;
      if (this.#tokens < 1) {
        return { reason: 'rate', seconds: Math.max(1, Math.ceil(((1 - this.#tokens) * 60) / perMinute)) };
      }
      this.#tokens--;
    }
    this.#running++;
    return 'allowed';
  }

  leave(): void {
    this.#running--;
  }
}
