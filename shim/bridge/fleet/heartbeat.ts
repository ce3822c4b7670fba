/** Milliseconds between pings while several tabs share the work. */
export const FAST_BEAT = 250;
/** Milliseconds between pings of a single tab, which also keep proxies from closing an idle connection. */
export const SLOW_BEAT = 20_000;
/**
 * Milliseconds after which a ping without an answer makes a tab silent. With `FAST_BEAT`, a tab that stops is silent within
 * a second.
 */
export const SILENCE = 700;

/** Which pings of a tab wait for their answer, and since when. */
export class Heartbeat {
  /** Times of the pings without an answer, oldest first. */
  readonly #waiting: number[] = [];

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now: () => number) {}

  get isResponsive(): boolean {
    const [oldest] = this.#waiting;
    return oldest === undefined || this.now() - oldest < SILENCE;
  }

  /** Follows one ping. Resolves with its answer, or rejects as `ping` does. */
  async follow<T>(ping: Promise<T>): Promise<T> {
    const sent = this.now();
    this.#waiting.push(sent);
    const answer = await ping;
    // An answer also answers the pings before.
    while (this.#waiting.length > 0 && this.#waiting[0]! <= sent) this.#waiting.shift();
    return answer;
  }
}
