import { type ServerIdentity, serversInLocks } from './lock-names.ts';
import { heldLockNames } from './web-locks.ts';

const POLL = 25;

/** The newest server that lives and is none of `except`; waits for one until `deadline` (as of `performance.now()`). */
export async function findNewestServer(
  scope: string,
  deadline: number,
  except: ReadonlySet<number> = new Set(),
): Promise<{ server: ServerIdentity; held: string[] } | undefined> {
  for (;;) {
    const held = await heldLockNames();
    const server = serversInLocks(scope, held).find(({ epoch }) => !except.has(epoch));
    if (server) return { server, held };
    if (performance.now() >= deadline) return undefined;
    await new Promise((resolve) => setTimeout(resolve, POLL));
  }
}
