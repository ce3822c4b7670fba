import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The first entry of a backup. It shows whether this tabd can read the backup. */
export interface BackupManifest {
  format: 1;
  /** The version of tabd that wrote the backup. */
  tabd: string;
  /** The version of the stored records. */
  records: number;
  /** The time of the backup, in ISO 8601. */
  created: string;
}

/** The last entry: the SHA-256 of each file by path. A backup without it is incomplete. */
export type Digests = Record<string, string>;

export const MANIFEST = 'tabd-backup.json';
export const DIGESTS = 'tabd-backup-digests.json';
/** A restore unpacks into this folder of the home itself: moves within one disk are quick and atomic for each file. */
export const RESTORE_FOLDER = '.restore';
/** The folder of a finished restore gets this name before it is deleted. */
export const FINISHED_RESTORE_FOLDER = '.restore-done';

/** Temporary files, and files of a running process. */
const LEFT_OUT = new Set([
  'tabd.lock',
  'tabd.pid',
  'running.json',
  'records.sqlite-wal',
  'records.sqlite-shm',
  RESTORE_FOLDER,
  FINISHED_RESTORE_FOLDER,
]);

export const isBackedUp = (name: string): boolean =>
  !LEFT_OUT.has(name) && !/^tabd\.lock-(journal|wal|shm)$/.test(name);

/** All files of a home, by their path with `/`. `skipped` receives the paths of links, sockets and the like. */
export async function* filesOf(
  home: string,
  skipped: (path: string) => void,
  below = '',
): AsyncIterable<{ path: string; info: Stats }> {
  for (const name of (await readdir(join(home, below))).toSorted()) {
    if (below === '' && !isBackedUp(name)) continue;
    const path = below === '' ? name : `${below}/${name}`;
    const info = await lstat(join(home, path));
    if (info.isDirectory()) yield* filesOf(home, skipped, path);
    else if (info.isFile()) yield { path, info };
    else skipped(path);
  }
}

/** Whether an entry's path stays inside of the home. */
export function isSafePath(path: string): boolean {
  return (
    path !== '' &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0:]/.test(part))
  );
}
