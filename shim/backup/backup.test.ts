import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { HomeInUse, lockHome } from '../home/home-lock.ts';
import { createNodeHost } from '../host/node-host.ts';
import { SqliteRecords } from '../storage/sqlite-records.ts';
import { backUp } from './backup.ts';
import { restoreBackup } from './restore.ts';

let folder: string;
let home: string;
let file: string;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const signal = new AbortController().signal;
const notices: string[] = [];
const save = (more = {}) =>
  backUp({ home, file, force: false, signal, notice: (text) => notices.push(text), ...more });
const back = (to: string, more = {}) => restoreBackup({ home: to, file, force: false, signal, ...more });

beforeEach(async () => {
  notices.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'tabd-backup-'));
  home = join(folder, 'home');
  file = join(folder, 'a.tabd');
  const host = await createNodeHost({ home, env: {}, log: quiet });
  await host.records.collection('promptQueue').put('1', { sequence: 1, text: 'wait' });
  await host.close();
  await mkdir(join(home, 'blobs'), { recursive: true });
  await mkdir(join(home, 'files', 'output'), { recursive: true });
  await writeFile(join(home, 'blobs', `sha256-${'0'.repeat(64)}`), Buffer.alloc(300_000, 7));
  await writeFile(join(home, 'files', 'output', 'a – b.png'), 'picture');
  await writeFile(join(home, 'encryption-key'), 'secret', { mode: 0o600 });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const recordIn = async (place: string) => {
  const records = new SqliteRecords(join(place, 'records.sqlite'), recordsSchema);
  const found = await records.collection('promptQueue').get('1');
  records.close();
  return found;
};

it('restores all files, with their modes', async () => {
  await symlink('/etc/hostname', join(home, 'link'));
  const done = await save();
  expect(done.files).toBe(4);
  expect(notices).toEqual(['link is no plain file: left out']);
  expect((await stat(file)).mode & 0o077).toBe(0);
  const other = join(folder, 'other');
  await back(other);
  expect(await recordIn(other)).toEqual({ sequence: 1, text: 'wait' });
  expect(await readFile(join(other, 'files', 'output', 'a – b.png'), 'utf8')).toBe('picture');
  expect((await stat(join(other, 'encryption-key'))).mode & 0o777).toBe(0o600);
  const blob = await readFile(join(other, 'blobs', `sha256-${'0'.repeat(64)}`));
  expect(blob.equals(Buffer.alloc(300_000, 7))).toBe(true);
  expect(existsSync(join(other, '.restore'))).toBe(false);
});

it('refuses a home in use, for backup and restore', async () => {
  await save();
  const unlock = lockHome(home);
  try {
    await expect(save({ force: true })).rejects.toThrow(HomeInUse);
    await expect(back(home, { force: true })).rejects.toThrow(HomeInUse);
  } finally {
    unlock();
  }
});

it('replaces nothing without --force', async () => {
  await save();
  await expect(save()).rejects.toThrow(/--force replaces it/);
  await expect(back(home)).rejects.toThrow(/not empty/);
  await writeFile(join(home, 'later'), 'x');
  await back(home, { force: true });
  expect(existsSync(join(home, 'later'))).toBe(false);
  expect(await recordIn(home)).toEqual({ sequence: 1, text: 'wait' });
});

it.each([
  ['cut off', async () => truncate(file, 200_000), /cannot be read to its end|incomplete/],
  [
    'changed in one byte',
    async () => {
      const bytes = await readFile(file);
      bytes[bytes.indexOf(Buffer.alloc(64, 7)) + 9] = 8;
      await writeFile(file, bytes);
    },
    /damaged: blobs/,
  ],
  ['something else', async () => writeFile(file, 'no tar at all'.repeat(100)), /no backup|cannot be read/],
])('a backup that is %s changes nothing', async (_what, spoil, message) => {
  await save();
  await spoil();
  const before = await filesOf(home);
  await expect(back(home, { force: true })).rejects.toThrow(message);
  expect(await filesOf(home)).toEqual(before);
});

/** Without those that SQLite makes while a database is open: it may delete them at any time. */
async function filesOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !/-(wal|shm)$/.test(name));
}

it('refuses the backup of a newer tabd', async () => {
  const newer = { ...recordsSchema, version: recordsSchema.version + 1 };
  new SqliteRecords(join(home, 'records.sqlite'), newer).close();
  await save();
  await expect(back(join(folder, 'other'))).rejects.toThrow(/newer tabd.*Nothing was changed/);
  expect(await readdir(join(folder, 'other'))).toEqual(['tabd.lock', 'tabd.pid']);
});

it('the next start completes a restore that was interrupted after unpacking', async () => {
  await save();
  const work = join(home, '.restore');
  await mkdir(join(work, 'new', 'files'), { recursive: true });
  await mkdir(join(work, 'old'), { recursive: true });
  await writeFile(join(work, 'new', 'new-one'), 'new');
  await writeFile(join(work, 'ready'), '');
  const host = await createNodeHost({ home, env: {}, log: quiet });
  await host.close();
  expect(await readFile(join(home, 'new-one'), 'utf8')).toBe('new');
  expect(existsSync(join(home, 'encryption-key'))).toBe(false);
  expect(existsSync(work)).toBe(false);
});

it('the next start deletes a restore that was interrupted while unpacking', async () => {
  await mkdir(join(home, '.restore', 'new'), { recursive: true });
  await writeFile(join(home, '.restore', 'new', 'half'), '');
  const host = await createNodeHost({ home, env: {}, log: quiet });
  await host.close();
  expect([existsSync(join(home, '.restore')), existsSync(join(home, 'half'))]).toEqual([false, false]);
  expect(await recordIn(home)).toEqual({ sequence: 1, text: 'wait' });
});
