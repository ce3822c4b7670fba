import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A serving process writes this into its home, readable by its user only. There the command line finds the address and
 * a token. The token proves that a caller may read this folder.
 */
export interface RunningServer {
  pid: number;
  /** `http://127.0.0.1:<port of the app server>` */
  address: string;
  /** Address of the local-models API, if its port is open. */
  api?: string;
  token: string;
  /** The key that this port requires, if it requires one. */
  apiKey?: string;
}

const fileOf = (home: string) => join(home, 'running.json');

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Writes the file. The returned function removes it. */
export async function announceServer(home: string, server: RunningServer): Promise<() => Promise<void>> {
  await mkdir(home, { recursive: true });
  await rm(fileOf(home), { force: true });
  await writeFile(fileOf(home), JSON.stringify(server), { mode: 0o600 });
  return () => rm(fileOf(home), { force: true });
}

/** The process that serves this home. A file that a crash left behind counts only while its process exists. */
export async function findRunning(home: string): Promise<RunningServer | undefined> {
  try {
    const server = JSON.parse(await readFile(fileOf(home), 'utf8')) as RunningServer;
    process.kill(server.pid, 0);
    return server;
  } catch {
    return undefined;
  }
}
