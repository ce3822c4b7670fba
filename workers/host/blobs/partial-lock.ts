/** Holds a Web Lock until released, so that a partial has one writer among all tabs. The lock ends with its worker. */
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
