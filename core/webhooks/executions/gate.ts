/** Lets a number of runs through at once; others wait in line, up to a bound. */
import { ApiError } from '../../http/api-error.ts';

export class Gate {
  #inside = 0;
  readonly #line: (() => void)[] = [];

  constructor(
    private readonly most: number,
    private readonly mostWaiting: number,
  ) {}

  /** Throws 503 when the line is full. */
  check(): void {
    if (this.#inside >= this.most && this.#line.length >= this.mostWaiting) {
      throw new ApiError(503, 'There are too many calls waiting for their turn. Try again in a moment.');
    }
  }

  /** Resolves with what has to be called at the end; rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#inside >= this.most) await this.#wait(signal);
    else this.#inside++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#line.shift();
      // The place goes straight to the next one.
      if (next) next();
      else this.#inside--;
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        this.#line.splice(this.#line.indexOf(go), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#line.push(go);
    });
  }
}
