import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The first entry of a backup: what it is, and whether this tabd can read it. */
export interface Manifest {
  format: 1;
  /** Version of tabd that wrote it. */
  tabd: string;
  /** Version of its records. */
  records: number;
  /** ISO 8601. */
  created: string;
}

/** The last entry: how every file has to be, by its path. Without it the backup is not whole. */
export type Digests = Record<string, string>;

export const MANIFEST = 'tabd-backup.json';
export const DIGESTS = 'tabd-backup-digests.json';
/** Where a restore works, in the home itself: moving things within one disk is quick and cannot fail half-way through a file. */
export const WORK = '.restore';
/** A restore that is over, on its way out. */
export const DONE = '.restore-done';

/** Of the process that runs, or of a moment. */
const LEFT_OUT = new Set([
  'tabd.lock',
  'tabd.pid',
  'running.json',
  'records.sqlite-wal',
  'records.sqlite-shm',
  WORK,
  DONE,
]);

export const belongs = (name: string): boolean =>
  !LEFT_OUT.has(name) && !/^tabd\.lock-(journal|wal|shm)$/.test(name);

/** All files of a home, by their path with `/`; `skipped` is told of what is no plain file. */
export async function* filesOf(
  home: string,
  skipped: (path: string) => void,
  below = '',
): AsyncIterable<{ path: string; info: Stats }> {
  for (const name of (await readdir(join(home, below))).toSorted()) {
    if (below === '' && !belongs(name)) continue;
    const path = below === '' ? name : `${below}/${name}`;
    const info = await lstat(join(home, path));
    if (info.isDirectory()) yield* filesOf(home, skipped, path);
    else if (info.isFile()) yield { path, info };
    else skipped(path);
  }
}

/** A path inside the home, as backups have them. */
export function isInside(path: string): boolean {
  return (
    path !== '' &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0:]/.test(part))
  );
}
