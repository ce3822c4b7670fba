import type { EngineEvent } from '#core/host';

/** A queue of event batches from a process, for one reader. */
export class EventStream {
  #batches: EngineEvent[][] = [];
  #failure: { reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(events: EngineEvent[]): void {
    this.#batches.push(events);
    this.#wake?.();
  }

  /** Ends the stream with an error, after the queued batches. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#wake?.();
  }

  /** Ends the stream with an error and drops the queued batches. */
  abort(reason: unknown): void {
    this.#batches = [];
    this.fail(reason);
  }

  /** Waits for the next batch. Rejects with the stream's error. */
  async nextBatch(): Promise<EngineEvent[]> {
    while (this.#batches.length === 0) {
      if (this.#failure) throw this.#failure.reason;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#batches.shift()!;
  }
}
