import { orAborted } from '#core/base';

/**
 * A result that is computed once, for several callers. Each caller may cancel by its own signal. When all
 * callers have cancelled, the computation is cancelled too. After a failure the next call computes again.
 */
export class SharedResult<T> {
  #computation: { result: Promise<T>; end: AbortController; waiting: number } | undefined;

  constructor(private readonly compute: (signal: AbortSignal) => Promise<T>) {}

  async get(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    this.#computation ??= this.#begin();
    const computation = this.#computation;
    computation.waiting++;
    try {
      return await orAborted(computation.result, signal);
    } catch (error) {
      if (computation.waiting === 1) computation.end.abort(error);
      if (computation.end.signal.aborted && this.#computation === computation) this.#computation = undefined;
      throw error;
    } finally {
      computation.waiting--;
    }
  }

  #begin() {
    const end = new AbortController();
    return { result: this.compute(end.signal), end, waiting: 0 };
  }
}
