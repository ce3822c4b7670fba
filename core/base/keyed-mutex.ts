import { orAborted } from './or-aborted.ts';

/** A mutex for each key: one holder at a time, first come, first served. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /**
   * Waits for the earlier holders of the key.
   * @param signal ends the wait
   * @returns the function that releases the key; further calls of it do nothing
   * @throws the reason of `signal`
   */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const earlier = this.#tails.get(key);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = earlier ? earlier.then(() => released) : released;
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    if (!earlier) return release;
    try {
      await orAborted(earlier, signal);
      return release;
    } catch (error) {
      // Leave the queue. The next holder still waits for the earlier ones.
      release();
      throw error;
    }
  }
}
