import type { EngineEvent } from '#core/host';

/** Batches of events from a process, waiting for their reader. */
export class EventStream {
  #batches: EngineEvent[][] = [];
  #failure: { reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(events: EngineEvent[]): void {
    this.#batches.push(events);
    this.#wake?.();
  }

  /** What arrived before is still read. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#wake?.();
  }

  /** What arrived before is dropped. */
  abort(reason: unknown): void {
    this.#batches = [];
    this.fail(reason);
  }

  /** The next batch; throws what the stream failed with. */
  async take(): Promise<EngineEvent[]> {
    while (this.#batches.length === 0) {
      if (this.#failure) throw this.#failure.reason;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#batches.shift()!;
  }
}
