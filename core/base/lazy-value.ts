/** A value that is computed when it is first needed. A failed computation is repeated by the next `get`. */
export class Lazy<T> {
  #promise: Promise<T> | undefined;

  constructor(private readonly compute: () => Promise<T>) {}

  /** Computes the value at the first call; later calls share the result. Rejects with what `compute` throws. */
  get(): Promise<T> {
    if (!this.#promise) {
      const promise = this.compute();
      promise.catch(() => {
        this.#promise = undefined;
      });
      this.#promise = promise;
    }
    return this.#promise;
  }

  /**
   * The value, if it is computed or being computed. Undefined before the first `get`, and after a failed computation.
   */
  async peek(): Promise<T | undefined> {
    return this.#promise?.catch(() => undefined);
  }
}
