/** The part of a clock that `sleep` needs: `after` runs `callback` after `milliseconds` and returns what cancels it. */
export interface Timer {
  after(milliseconds: number, callback: () => void): () => void;
}

/**
 * Resolves when `milliseconds` have passed on `clock`.
 * @throws the reason of `signal` as soon as it aborts; the timer is cancelled then
 */
export function sleep(clock: Timer, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(milliseconds, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}
