import type { PullProgress } from '../progress.ts';

/** One caller of a pull: reads at its own pace, and misses at most progress that is already old. */
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

  /** Ends with the pull; throws its error, or the signal's reason. */
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
