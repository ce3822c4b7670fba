import type { Timer } from './sleep.ts';

/** Milliseconds between two attempts. */
const INTERVAL = 10_000;

/**
 * Writes that failed for a cause that may pass, such as a full disk. They are tried again, in their order, until they
 * succeed. A write that fails for another cause is dropped and reported to `onFailure`.
 */
export class PendingWrites {
  readonly #writes: (() => Promise<unknown>)[] = [];
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;
  #attempt: Promise<void> = Promise.resolve();

  /** @param isTemporary whether the write may succeed later */
  constructor(
    private readonly clock: Timer,
    private readonly isTemporary: (error: unknown) => boolean,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  get count(): number {
    return this.#writes.length;
  }

  add(write: () => Promise<unknown>): void {
    this.#writes.push(write);
    if (this.#writes.length === 1) this.#startTimer();
  }

  /** Tries the writes that are left once more, and drops those that fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#attempt;
    await this.#writeAll();
    this.#writes.length = 0;
  }

  #startTimer(): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.clock.after(INTERVAL, () => {
      this.#attempt = this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#writes[0]) {
      try {
        await this.#writes[0]();
      } catch (error) {
        if (this.isTemporary(error)) return this.#startTimer();
        this.onFailure(error);
      }
      this.#writes.shift();
    }
  }
}
