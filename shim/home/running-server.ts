import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What a serving process writes into its home, readable by its user only: where the command line reaches it, and the
 * token that shows the caller may read this folder.
 */
export interface RunningServer {
  pid: number;
  /** `http://127.0.0.1:<port of the app server>` */
  address: string;
  /** The port of the local-models API, where it is open. */
  api?: string;
  token: string;
  /** What the port of the API asks for, where it asks for a key. */
  apiKey?: string;
}

const fileOf = (home: string) => join(home, 'running.json');

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

export async function announce(home: string, server: RunningServer): Promise<() => Promise<void>> {
  await mkdir(home, { recursive: true });
  await rm(fileOf(home), { force: true });
  await writeFile(fileOf(home), JSON.stringify(server), { mode: 0o600 });
  return () => rm(fileOf(home), { force: true });
}

/** Who serves this home, if anybody does; a file left by a crash counts only while its process lives. */
export async function findRunning(home: string): Promise<RunningServer | undefined> {
  try {
    const server = JSON.parse(await readFile(fileOf(home), 'utf8')) as RunningServer;
    process.kill(server.pid, 0);
    return server;
  } catch {
    return undefined;
  }
}
