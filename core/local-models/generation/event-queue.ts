import { orAborted } from '#core/base';

/**
 * The largest number of unread events before the model waits. A usual answer has fewer, so a slow reader does not keep
 * the model busy.
 */
const CAPACITY = 16_384;
/** Events that are taken before the array is shortened: each shortening copies the rest. */
const TAKEN_AT_MOST = 1024;

type Entry<E> = { event: E } | { error: unknown };

/** Carries the events of one run from its work to its only reader. */
export class EventQueue<E> {
  #entries: Entry<E>[] = [];
  /** The number of entries, from the first, that the reader took. */
  #taken = 0;
  #closed = false;
  #wakeReader = () => {};
  #wakeWriter = () => {};

  push(event: E): void {
    this.#add({ event });
  }

  /** The reader gets the error after all events before it. */
  fail(error: unknown): void {
    this.#add({ error });
  }

  /** Ends the queue: no entries follow. */
  close(): void {
    this.#closed = true;
    this.#wakeReader();
  }

  get isFull(): boolean {
    return this.#entries.length - this.#taken >= CAPACITY;
  }

  /** Waits while the queue is full. Rejects with the reason of `signal`. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isFull) {
      const taken = new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
      });
      await orAborted(taken, signal);
    }
  }

  async next(): Promise<IteratorResult<E>> {
    while (this.#taken === this.#entries.length) {
      if (this.#closed) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
    const entry = this.#entries[this.#taken++]!;
    if (this.#taken === this.#entries.length || this.#taken >= TAKEN_AT_MOST) {
      this.#entries = this.#entries.slice(this.#taken);
      this.#taken = 0;
      this.#wakeWriter();
    }
    if ('error' in entry) throw entry.error;
    return { done: false, value: entry.event };
  }

  #add(entry: Entry<E>): void {
    this.#entries.push(entry);
    this.#wakeReader();
  }
}
