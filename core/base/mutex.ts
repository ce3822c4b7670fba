import { orAborted } from './or-aborted.ts';

/** Lets one task at a time run, first come, first served. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /**
   * Runs `work` when all earlier tasks have ended. A task holds the mutex until it settles, even when its caller
   * stopped waiting for it.
   * @param signal ends the wait, for the mutex and for the result
   * @throws the reason of `signal`, or whatever `work` throws
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const earlier = this.#last;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#last = earlier.then(() => held);
    try {
      await orAborted(earlier, signal);
    } catch (reason) {
      release();
      throw reason;
    }
    const working = work();
    void working.then(release, release);
    return await orAborted(working, signal);
  }
}
