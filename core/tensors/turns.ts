/** One at a time, first come, first served; who leaves the queue leaves it at once. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  async take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const before = this.#last;
    let finish = () => {};
    const mine = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#last = before.then(() => mine);
    try {
      await orAborted(before, signal);
    } catch (reason) {
      finish();
      throw reason;
    }
    // The turn lasts as long as the work, even when nobody waits for its outcome any more.
    const working = work();
    void working.then(finish, finish);
    return await orAborted(working, signal);
  }
}

export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
