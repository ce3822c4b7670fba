import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Database from 'libsql';
import { type Pack, pack } from 'tar-stream';
import { TABD_VERSION } from '#core/base';
import { UsageError } from '../base/usage-error.ts';
import { lockHome } from '../home/home-lock.ts';
import { type BackupManifest, DIGESTS, type Digests, filesOf, MANIFEST } from './contents.ts';
import { finishRestore } from './finish-restore.ts';

export interface BackupOptions {
  home: string;
  file: string;
  /** Whether to replace an existing file. */
  force: boolean;
  signal: AbortSignal;
  /** Reports something that the backup leaves out. */
  notice(text: string): void;
}

export interface BackupSummary {
  files: number;
  bytes: number;
}

/** Writes a home into one tar file. Only a complete file gets its final name. @throws HomeInUse, UsageError */
export async function backUp(options: BackupOptions): Promise<BackupSummary> {
  const home = resolve(options.home);
  const file = resolve(options.file);
  if (!existsSync(join(home, 'records.sqlite'))) throw new UsageError(`${home} holds nothing to back up`);
  if (file.startsWith(`${home}${sep}`)) throw new UsageError('write the backup outside of the home');
  if (existsSync(file) && !options.force) throw new UsageError(`${file} exists already: --force replaces it`);
  const unlock = lockHome(home);
  const partial = `${file}.partial`;
  try {
    await finishRestore(home);
    const records = checkpointRecords(join(home, 'records.sqlite'));
    const archive = pack();
    const written = pipeline(archive, createWriteStream(partial, { mode: 0o600 }), {
      signal: options.signal,
    });
    written.catch(() => {});
    const summary = await packHome(archive, home, records, options).catch(async (error) => {
      archive.destroy(error);
      await written.catch(() => {});
      throw error;
    });
    await written;
    await flush(partial);
    await rename(partial, file);
    await flush(dirname(file)).catch(() => {}); // Some systems cannot open a folder.
    return summary;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    unlock();
  }
}

async function packHome(
  archive: Pack,
  home: string,
  records: number,
  { notice, signal }: BackupOptions,
): Promise<BackupSummary> {
  const manifest: BackupManifest = {
    format: 1,
    tabd: TABD_VERSION,
    records,
    created: new Date().toISOString(),
  };
  archive.entry({ name: MANIFEST }, JSON.stringify(manifest));
  const digests: Digests = {};
  let bytes = 0;
  for await (const { path, info } of filesOf(home, (left) => notice(`${left} is no plain file: left out`))) {
    signal.throwIfAborted();
    const hash = createHash('sha256');
    const entry = archive.entry({ name: path, size: info.size, mode: info.mode & 0o777, mtime: info.mtime });
    const source = createReadStream(join(home, path));
    source.on('data', (piece) => hash.update(piece));
    await pipeline(source, entry, { signal });
    digests[path] = hash.digest('hex');
    bytes += info.size;
  }
  archive.entry({ name: DIGESTS }, JSON.stringify(digests));
  archive.finalize();
  return { files: Object.keys(digests).length, bytes };
}

/** Moves all pending changes into the one file that is backed up. Returns the version of the records. */
function checkpointRecords(path: string): number {
  const database = new Database(path);
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
    return (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  } finally {
    database.close();
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
