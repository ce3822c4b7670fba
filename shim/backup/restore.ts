import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Database from 'libsql';
import { extract } from 'tar-stream';
import { recordsSchema } from '#core/host';
import { UsageError } from '../base/usage-error.ts';
import { lockHome } from '../home/home-lock.ts';
import {
  type BackupManifest,
  DIGESTS,
  type Digests,
  isBackedUp,
  isSafePath,
  MANIFEST,
  RESTORE_FOLDER,
} from './contents.ts';
import { finishRestore } from './finish-restore.ts';

/** The backup cannot be used. Nothing was changed. */
export class BadBackup extends Error {
  override name = 'BadBackup';
}

export interface RestoreOptions {
  home: string;
  file: string;
  /** Whether to replace the files of a home that is not empty. */
  force: boolean;
  signal: AbortSignal;
}

/**
 * Restores a backup. The home's files stay as they are until the complete backup was unpacked and verified.
 * Then the two are swapped. After a power failure the next start completes the swap.
 *
 * @throws BadBackup, HomeInUse, UsageError
 */
export async function restoreBackup(
  options: RestoreOptions,
): Promise<{ files: number; manifest: BackupManifest }> {
  const home = resolve(options.home);
  if (!existsSync(options.file)) throw new UsageError(`${options.file} does not exist`);
  await mkdir(home, { recursive: true });
  const unlock = lockHome(home);
  try {
    await finishRestore(home);
    const existing = (await readdir(home)).filter(isBackedUp);
    if (existing.length > 0 && !options.force) {
      throw new UsageError(`${home} is not empty: replace its files with --force, or name another --home`);
    }
    const work = join(home, RESTORE_FOLDER);
    try {
      const read = await unpack(options, join(work, 'new'));
      checkRecords(join(work, 'new', 'records.sqlite'));
      await writeFile(join(work, 'ready'), '', { flush: true });
      await finishRestore(home);
      return read;
    } catch (error) {
      if (!existsSync(join(work, 'ready'))) await rm(work, { recursive: true, force: true });
      throw error;
    }
  } finally {
    unlock();
  }
}

/** An entry of an archive. The types of tar-stream name stream classes of their own instead of Node's. */
interface Entry extends AsyncIterable<Uint8Array> {
  header: { name: string; mode?: number; type?: string | null };
}

async function unpack(
  { file, signal }: RestoreOptions,
  folder: string,
): Promise<{ files: number; manifest: BackupManifest }> {
  let manifest: BackupManifest | undefined;
  let expected: Digests | undefined;
  const found: Digests = {};
  const archive = extract();
  const source = createReadStream(file);
  const reading = pipeline(source, archive, { signal });
  reading.catch(() => {});
  try {
    for await (const entry of archive as unknown as AsyncIterable<Entry>) {
      const { name, mode = 0o600, type } = entry.header;
      if (!manifest) {
        manifest = readManifest(name === MANIFEST ? await textOf(entry) : '', file);
      } else if (name === DIGESTS) {
        expected = JSON.parse(await textOf(entry)) as Digests;
      } else if (type !== 'file' || !isSafePath(name) || !isBackedUp(name.split('/')[0]!)) {
        throw new BadBackup(`${file} holds ${JSON.stringify(name)}, which no backup has`);
      } else {
        found[name] = await writeEntry(entry, join(folder, ...name.split('/')), mode & 0o777, signal);
      }
    }
    await reading;
  } catch (error) {
    signal.throwIfAborted();
    archive.destroy();
    source.destroy();
    if (error instanceof BadBackup) throw error;
    throw new BadBackup(`${file} cannot be read to its end: ${(error as Error).message}`, { cause: error });
  }
  if (!manifest) throw new BadBackup(`${file} is no backup of tabd`);
  if (!expected) throw new BadBackup(`${file} is incomplete: its end is missing`);
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  const damagedName = [...names].find((name) => expected[name] !== found[name]);
  if (damagedName) throw new BadBackup(`${file} is damaged: ${damagedName} is not as it was written`);
  return { files: Object.keys(found).length, manifest };
}

function readManifest(text: string, file: string): BackupManifest {
  let manifest: BackupManifest;
  try {
    manifest = JSON.parse(text) as BackupManifest;
  } catch {
    throw new BadBackup(`${file} is no backup of tabd`);
  }
  if (manifest.format !== 1 || manifest.records > recordsSchema.version) {
    throw new BadBackup(
      `${file} was written by a newer tabd (${manifest.tabd}; its records have version ${manifest.records}, this ` +
        `tabd knows ${recordsSchema.version}). Nothing was changed. Update tabd, then restore.`,
    );
  }
  return manifest;
}

async function writeEntry(
  entry: AsyncIterable<Uint8Array>,
  path: string,
  mode: number,
  signal: AbortSignal,
): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const hash = createHash('sha256');
  const hashed = async function* () {
    for await (const piece of entry) {
      hash.update(piece);
      yield piece;
    }
  };
  await pipeline(hashed, createWriteStream(path, { mode, flush: true }), { signal });
  return hash.digest('hex');
}

async function textOf(entry: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of entry) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

function checkRecords(path: string): void {
  if (!existsSync(path)) throw new BadBackup('the backup holds no records');
  const database = new Database(path);
  try {
    const answer = database.prepare('PRAGMA quick_check').get() as { quick_check?: string };
    if (answer.quick_check !== 'ok') throw new BadBackup('the records of the backup are damaged');
  } finally {
    database.close();
  }
}
