import { type ServerName, serversAmong } from './lock-names.ts';
import { heldLocks } from './web-locks.ts';

const POLL = 25;

/** The newest server that lives and is none of `except`; waits for one until `deadline` (as of `performance.now()`). */
export async function findServer(
  scope: string,
  deadline: number,
  except: ReadonlySet<number> = new Set(),
): Promise<{ server: ServerName; held: string[] } | undefined> {
  for (;;) {
    const held = await heldLocks();
    const server = serversAmong(scope, held).find(({ epoch }) => !except.has(epoch));
    if (server) return { server, held };
    if (performance.now() >= deadline) return undefined;
    await new Promise((resolve) => setTimeout(resolve, POLL));
  }
}
