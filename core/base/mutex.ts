import { orAborted } from './or-aborted.ts';

/** Lets one task at a time pass, first come, first served. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /**
   * Waits until all earlier tasks have ended.
   * @param signal ends the wait
   * @returns the function that lets the next task pass; further calls of it do nothing
   * @throws the reason of `signal`
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const earlier = this.#last;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#last = earlier.then(() => released);
    try {
      await orAborted(earlier, signal);
      return release;
    } catch (reason) {
      release();
      throw reason;
    }
  }

  /**
   * Runs `work` when all earlier tasks have ended. A task holds the mutex until it settles, even when its caller
   * stopped waiting for it.
   * @param signal ends the wait, for the mutex and for the result
   * @throws the reason of `signal`, or what `work` throws
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(signal);
    const working = work();
    void working.then(release, release);
    return await orAborted(working, signal);
  }
}
