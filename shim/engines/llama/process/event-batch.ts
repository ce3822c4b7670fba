import type { EngineEvent } from '#core/host';

/**
 * Milliseconds between two messages with events. Readers notice no delay, and a small model spends half as
 * much processor time on messages as with one message for each token.
 */
const INTERVAL = 30;

/**
 * Sends events to the reader: the first token at once, later ones in batches. It sends no more events than
 * the reader has granted credit for, so that a slow reader pauses the generation.
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

  /** Waits for credit. Undefined if there is some, so that the common case needs no `await`. */
  waitForCredit(): Promise<void> | undefined {
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
