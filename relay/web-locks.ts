/** Names of the locks that are held on this origin now. */
export async function heldLockNames(): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  return held.flatMap(({ name }) => name ?? []);
}

/** Holds a lock that nobody else competes for; settles, when it is held, with what lets it go. */
export function holdLock(name: string): Promise<() => void> {
  return new Promise((granted, failed) => {
    navigator.locks.request(name, () => new Promise<void>((release) => granted(release))).catch(failed);
  });
}

/** Settles when nobody holds the lock any more: its holder let it go, was closed, crashed or was killed. */
export async function waitForLockRelease(name: string, signal: AbortSignal): Promise<void> {
  await navigator.locks.request(name, { mode: 'shared', signal }, () => {});
}
