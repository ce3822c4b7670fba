/** The names of the locks that are held on this origin now. */
export async function heldLockNames(): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  return held.flatMap(({ name }) => name ?? []);
}

/** Takes a lock. Resolves when the lock is held, with a function that releases it. */
export function holdLock(name: string): Promise<() => void> {
  return new Promise((granted, failed) => {
    navigator.locks.request(name, () => new Promise<void>((release) => granted(release))).catch(failed);
  });
}

/** Resolves when nobody holds the lock: its holder has released it, was closed, crashed or was killed. */
export async function waitForLockRelease(name: string, signal: AbortSignal): Promise<void> {
  await navigator.locks.request(name, { mode: 'shared', signal }, () => {});
}
