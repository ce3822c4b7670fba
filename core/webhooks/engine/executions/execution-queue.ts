/** Lets a number of runs through at once; others wait in line, up to a bound. */
import { ApiError } from '#core/http';

/** A place: inside, or in line. */
export interface Ticket {
  /** Resolves when it is this one's turn; rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void>;
  /** To be called once, whatever happened. */
  leave(): void;
}

export class ExecutionQueue {
  /** Places that were given out and not given back. */
  #given = 0;
  #inside = 0;
  readonly #line = new Set<() => void>();

  constructor(
    private readonly most: number,
    private readonly mostWaiting: number,
  ) {}

  /** How many are inside, and how many stand in line. */
  get load(): { running: number; waiting: number } {
    return { running: this.#inside, waiting: this.#line.size };
  }

  /** Throws 503 when there is no place left, in line or inside. */
  check(): void {
    if (this.#given >= this.most + this.mostWaiting) {
      throw new ApiError(503, 'There are too many calls waiting for their turn. Try again in a moment.');
    }
  }

  /** Throws 503. */
  ticket(): Ticket {
    this.check();
    this.#given++;
    let isInside = false;
    let isGiven = true;
    return {
      enter: async (signal) => {
        signal.throwIfAborted();
        if (this.#inside >= this.most) await this.#wait(signal);
        else this.#inside++;
        isInside = true;
      },
      leave: () => {
        if (!isGiven) return;
        isGiven = false;
        this.#given--;
        if (isInside) this.#passOn();
      },
    };
  }

  /** The place inside goes straight to the next in line. */
  #passOn(): void {
    const [next] = this.#line;
    if (next) next();
    else this.#inside--;
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        this.#line.delete(go);
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        this.#line.delete(go);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#line.add(go);
    });
  }
}
