import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdLifeLock, watchLifeLock } from './life-lock.ts';

/** The lock manager of a browser, for one lock, with the abort of a waiting request. */
class FakeLocks {
  #holder: Promise<unknown> = Promise.resolve();
  async request(_name: string, ...rest: unknown[]): Promise<unknown> {
    const callback = rest.at(-1) as () => unknown;
    const { signal } = (rest.length > 1 ? rest[0] : {}) as { signal?: AbortSignal };
    const previous = this.#holder;
    const granted = previous.then(() => {
      signal?.throwIfAborted();
      return callback();
    });
    this.#holder = granted.catch(() => {});
    if (!signal) return granted;
    return Promise.race([
      granted,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
  }
  /** Releases the lock, as the browser does when the holder ends. */
  releaseAll(): void {
    this.#holder = Promise.resolve();
  }
}

let locks: FakeLocks;
beforeEach(() => {
  locks = new FakeLocks();
  vi.stubGlobal('navigator', { locks });
});
afterEach(() => vi.unstubAllGlobals());

test('a held lock keeps the watch waiting, and an abort ends it without a report', async () => {
  await holdLifeLock('a');
  const onEnd = vi.fn();
  const abort = new AbortController();
  const watch = watchLifeLock('a', abort.signal, onEnd);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(onEnd).not.toHaveBeenCalled();
  abort.abort();
  await watch;
  expect(onEnd).not.toHaveBeenCalled();
});

test('a free lock means that the worker has ended', async () => {
  await holdLifeLock('a');
  locks.releaseAll();
  const onEnd = vi.fn();
  await watchLifeLock('a', new AbortController().signal, onEnd);
  expect(onEnd).toHaveBeenCalledOnce();
});

test('without Web Locks nothing is watched and nothing blocks', async () => {
  vi.stubGlobal('navigator', {});
  const onEnd = vi.fn();
  await holdLifeLock('a');
  await watchLifeLock('a', new AbortController().signal, onEnd);
  expect(onEnd).not.toHaveBeenCalled();
});
