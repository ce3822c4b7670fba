import type { PullProgress } from '../progress.ts';

/** The queue of one caller of a shared pull. A slow caller misses nothing but outdated progress. */
export class Follower {
  readonly #waiting: PullProgress[] = [];
  #ended: { error?: unknown } | undefined;
  #wake = () => {};

  push(line: PullProgress): void {
    const last = this.#waiting.at(-1);
    if (last?.status === line.status) this.#waiting.pop();
    this.#waiting.push(line);
    this.#wake();
  }

  end(ended: { error?: unknown }): void {
    this.#ended = ended;
    this.#wake();
  }

  /**
   * Yields lines until the pull has ended.
   * @throws the error of the pull, or the reason of `signal`
   */
  async *lines(signal: AbortSignal): AsyncGenerator<PullProgress> {
    const onAbort = () => this.#wake();
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        signal.throwIfAborted();
        const line = this.#waiting.shift();
        if (line) {
          yield line;
        } else if (this.#ended) {
          if ('error' in this.#ended) throw this.#ended.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
