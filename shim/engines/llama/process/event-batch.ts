import type { EngineEvent } from '#core/host';

/**
 * Events are sent together when the last sending is this long ago (milliseconds): quick enough for eyes, and half the
 * work of a message for every token of a small model, which takes the processor from the threads that compute.
 */
const INTERVAL = 30;

/**
 * The way of events to the reader. The first token goes at once, later ones in batches, and never more than the reader
 * gave credit for: generation waits for a slow reader instead of filling memory.
 */
export class EventBatch {
  #events: EngineEvent[] = [];
  #sentAt = 0;
  #credit: number;
  #wake: (() => void) | undefined;
  #stopped = false;

  constructor(
    credit: number,
    private readonly send: (events: EngineEvent[]) => void,
  ) {
    this.#credit = credit;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  push(event: EngineEvent): void {
    this.#events.push(event);
    this.#credit -= 1;
    if (performance.now() - this.#sentAt >= INTERVAL) this.flush();
  }

  flush(): void {
    if (this.#events.length === 0 || this.#stopped) return;
    this.send(this.#events);
    this.#events = [];
    this.#sentAt = performance.now();
  }

  /** Undefined while there is credit, so that the common case costs no turn of the event loop. */
  room(): Promise<void> | undefined {
    if (this.#credit > 0 || this.#stopped) return undefined;
    this.flush();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  grant(events: number): void {
    this.#credit += events;
    if (this.#credit > 0) this.#wake?.();
  }

  stop(): void {
    this.#stopped = true;
    this.#wake?.();
  }
}
