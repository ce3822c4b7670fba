/**
 * Takes a Web Lock, so that a file has one writer among all tabs. Resolves with the function that releases it. The lock also
 * ends with the worker. Rejects with the signal's reason.
 */
export async function acquireLock(name: string, signal?: AbortSignal): Promise<() => void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(
        name,
        signal ? { signal } : {},
        () =>
          new Promise<void>((release) => {
            resolve(release);
          }),
      )
      .catch((error: unknown) => reject(signal?.aborted ? signal.reason : error));
  });
}
