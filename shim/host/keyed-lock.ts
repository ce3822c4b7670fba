/** At most one holder a key, first come first served. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>();

  /** Waits for the holders before; `signal` ends the wait. Calling the returned function twice does nothing more. */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const before = this.#tails.get(key);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = before ? before.then(() => held) : held;
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    if (!before) return release;
    try {
      await untilAborted(before, signal);
      return release;
    } catch (error) {
      // The place in the queue passes on as soon as its turn comes.
      release();
      throw error;
    }
  }
}

function untilAborted(promise: Promise<void>, signal?: AbortSignal): Promise<void> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}
