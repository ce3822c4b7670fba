import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';

/** Another process has locked the folder. */
export class HomeInUse extends Error {
  override name = 'HomeInUse';
  constructor(
    readonly home: string,
    readonly pid: number | undefined,
  ) {
    const holder = pid === undefined ? 'another tabd' : `another tabd (process ${pid})`;
    super(
      `${home} is in use by ${holder}. Use that one, stop it first, or set TABD_HOME to another folder for this one.`,
    );
  }
}

/**
 * Locks `home` for this process. The returned function unlocks it. The lock is SQLite's lock on an open file. The
 * operating system releases it when the process ends, so no stale lock can exist.
 *
 * @throws HomeInUse
 */
export function lockHome(home: string): () => void {
  const pidFile = join(home, 'tabd.pid');
  const database = new Database(join(home, 'tabd.lock'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new HomeInUse(home, readPid(pidFile));
  }
  // For error messages only: the lock itself does not show which process holds it.
  writeFileSync(pidFile, `${process.pid}\n`);
  return () => database.close();
}

function isBusy(error: unknown): boolean {
  return /SQLITE_BUSY|SQLITE_LOCKED|database is locked/i.test(
    `${(error as { code?: unknown }).code} ${(error as Error).message}`,
  );
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
