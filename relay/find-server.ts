import { type ServerIdentity, serversInLocks } from './lock-names.ts';
import { heldLockNames } from './web-locks.ts';

/** Milliseconds between two queries of the held locks. */
const POLL_INTERVAL = 25;

/**
 * The newest living server and the names of all held locks. Waits for a server until `deadline`, then returns undefined.
 * @param deadline on the clock of `performance.now()`
 * @param ignoredEpochs epochs of servers that do not answer
 */
export async function findNewestServer(
  scope: string,
  deadline: number,
  ignoredEpochs: ReadonlySet<number> = new Set(),
): Promise<{ server: ServerIdentity; held: string[] } | undefined> {
  for (;;) {
    const held = await heldLockNames();
    const server = serversInLocks(scope, held).find(({ epoch }) => !ignoredEpochs.has(epoch));
    if (server) return { server, held };
    if (performance.now() >= deadline) return undefined;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
  }
}
