/**
 * Web Locks that show whether a worker lives: the browser releases the lock of a worker that ends, and sends no other event.
 */

/** Resolves when this worker holds the lock. Only the worker's end releases it. */
export async function holdLifeLock(lock: string): Promise<void> {
  if (!navigator.locks) return;
  await new Promise<void>((onHeld) => {
    void navigator.locks.request(lock, () => {
      onHeld();
      return new Promise(() => {});
    });
  });
}

/** Calls `onEnd` when the worker that holds the lock has ended. `signal` ends the watch. */
export async function watchLifeLock(lock: string, signal: AbortSignal, onEnd: () => void): Promise<void> {
  if (!navigator.locks) return;
  try {
    await navigator.locks.request(lock, { signal }, onEnd);
  } catch {
    // `signal` has aborted the watch.
  }
}
