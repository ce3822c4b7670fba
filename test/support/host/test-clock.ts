/** A clock that moves only when a test advances it. Timers fire in order during the move. */
import type { Clock } from '#core/host';

interface Timer {
  at: number;
  callback: () => void;
}

export class TestClock implements Clock {
  /** The time of the clock, in milliseconds since 1970. */
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(start = Date.UTC(2026, 0, 2, 3, 4, 5, 678) + 0.125) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  nanoseconds(): number {
    return Math.round(this.#now * 1e6);
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, milliseconds), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the time, fires due timers, and lets promises settle between timers. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** The real time, for tests that measure durations. */
export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  nanoseconds: () => Math.round(performance.now() * 1e6),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Lets all pending promises settle. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
