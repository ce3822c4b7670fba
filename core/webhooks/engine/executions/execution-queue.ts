/** Limits how many executions run at once. Further ones wait in a queue of limited length. */
import { ApiError } from '#core/http';

/** A place in the queue, and then among the running executions. */
export interface QueueTicket {
  /**
   * Resolves when the execution may run.
   * @throws the reason of the signal
   */
  enter(signal: AbortSignal): Promise<void>;
  /** Gives the place back. Further calls do nothing. */
  leave(): void;
}

export class ExecutionQueue {
  /** Tickets that were not given back. */
  #tickets = 0;
  #running = 0;
  /** Starts the executions that wait, first come, first served. */
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  get load(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting.size };
  }

  /** @throws ApiError 503 when all places are taken */
  requireCapacity(): void {
    if (this.#tickets >= this.maxRunning + this.maxWaiting) {
      throw new ApiError(503, 'There are too many calls waiting for their turn. Try again in a moment.');
    }
  }

  /** @throws ApiError 503 when all places are taken */
  ticket(): QueueTicket {
    this.requireCapacity();
    this.#tickets++;
    let isRunning = false;
    let isReturned = false;
    return {
      enter: async (signal) => {
        signal.throwIfAborted();
        if (this.#running >= this.maxRunning) await this.#wait(signal);
        else this.#running++;
        isRunning = true;
      },
      leave: () => {
        if (isReturned) return;
        isReturned = true;
        this.#tickets--;
        if (isRunning) this.#passOn();
      },
    };
  }

  /** The next execution takes the place over: the number of running ones stays the same. */
  #passOn(): void {
    const [start] = this.#waiting;
    if (start) start();
    else this.#running--;
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        this.#waiting.delete(start);
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        this.#waiting.delete(start);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(start);
    });
  }
}
