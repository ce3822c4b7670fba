import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BlobMissing, type Digest, DigestMismatch, StorageFull } from '#core/host';
import { FileBlobs } from './file-blobs.ts';

let folder: string;
let blobs: FileBlobs;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabd-blobs-'));
  blobs = new FileBlobs(folder);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const digestOf = (bytes: Uint8Array): Digest => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const text = (value: string) => new TextEncoder().encode(value);
async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

test('only complete bytes become a blob', async () => {
  const bytes = text('hello blobs');
  const partial = await blobs.openPartial('https://example.com/a file');
  await partial.append(bytes.subarray(0, 5));
  expect(await blobs.list()).toEqual([]);
  await partial.append(bytes.subarray(5));
  const info = await partial.commit(digestOf(bytes));

  expect(info).toEqual({ digest: digestOf(bytes), size: bytes.length });
  expect(await blobs.stat(info.digest)).toEqual(info);
  expect(await blobs.list()).toEqual([info]);
  expect(readdirSync(folder)).toEqual([info.digest.replace(':', '-')]);
  expect(await bytesOf(blobs.read(info.digest))).toEqual(bytes);
});

test('reads ranges across pieces, and nothing beyond the end', async () => {
  const bytes = new Uint8Array(3 * 1024 * 1024 + 7).map((_, index) => index % 251);
  const partial = await blobs.openPartial('big');
  await partial.append(bytes);
  const { digest } = await partial.commit();

  const middle = await bytesOf(blobs.read(digest, 1_000_000, 2_500_000));
  expect(Buffer.compare(middle, bytes.slice(1_000_000, 2_500_000))).toBe(0);
  expect(await bytesOf(blobs.read(digest, bytes.length - 3, bytes.length + 100))).toEqual(bytes.slice(-3));
  expect(await bytesOf(blobs.read(digest, 5, 5))).toEqual(new Uint8Array(0));
});

test('a missing blob is reported as missing', async () => {
  const digest = digestOf(text('nowhere'));
  expect(() => blobs.read(digest)).toThrow(BlobMissing);
  expect(await blobs.stat(digest)).toBeUndefined();
  expect(await blobs.delete(digest)).toBe(false);
  expect(() => blobs.pathOf('sha256:../../etc/passwd' as Digest)).toThrow('not a digest');
});

test('a later process continues where the last one stopped', async () => {
  const bytes = new Uint8Array(2_500_000).map((_, index) => index % 13);
  const first = await blobs.openPartial('resumed');
  await first.append(bytes.subarray(0, 1_200_000));
  await first.close();

  const second = await new FileBlobs(folder).openPartial('resumed');
  expect(second.size).toBe(1_200_000);
  await second.append(bytes.subarray(1_200_000));
  expect(await second.commit(digestOf(bytes))).toEqual({ digest: digestOf(bytes), size: bytes.length });
});

test('wrong bytes are deleted, so that the next download starts again', async () => {
  const partial = await blobs.openPartial('wrong');
  await partial.append(text('not what was asked for'));
  await expect(partial.commit(digestOf(text('expected')))).rejects.toThrow(DigestMismatch);
  expect(readdirSync(folder)).toEqual([]);
  const again = await blobs.openPartial('wrong');
  expect(again.size).toBe(0);
  await again.close();
});

test('truncating starts again at 0', async () => {
  const partial = await blobs.openPartial('restart');
  await partial.append(text('from an old version of the file'));
  await partial.truncate();
  expect(partial.size).toBe(0);
  await partial.append(text('new'));
  expect(await partial.commit()).toEqual({ digest: digestOf(text('new')), size: 3 });
});

test('each key has one writer: a second one waits, and may abort', async () => {
  const first = await blobs.openPartial('shared');
  const impatient = new AbortController();
  const second = blobs.openPartial('shared', impatient.signal);
  const third = blobs.openPartial('shared');
  const other = await blobs.openPartial('other');
  impatient.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  await first.append(text('12345'));
  let opened = false;
  void third.then(() => {
    opened = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(opened).toBe(false);
  await first.close();
  expect((await third).size).toBe(5);
  await (await third).close();
  await other.close();
});

test('a full disk is reported as such, and the written bytes remain', async () => {
  const disk = await smallDisk(1024 * 1024);
  try {
    const full = new FileBlobs(disk.folder);
    const partial = await full.openPartial('large');
    await partial.append(new Uint8Array(300_000).fill(1));
    await expect(partial.append(new Uint8Array(2_000_000).fill(2))).rejects.toThrow(StorageFull);
    const remaining = partial.size;
    expect(remaining).toBeGreaterThanOrEqual(300_000);
    await partial.close();
    disk.grow();

    const resumed = await full.openPartial('large');
    expect(resumed.size).toBe(remaining);
    await resumed.append(new Uint8Array(2_300_000 - remaining).fill(2));
    const complete = new Uint8Array(2_300_000).fill(2).fill(1, 0, 300_000);
    expect(await resumed.commit(digestOf(complete))).toEqual({
      digest: digestOf(complete),
      size: complete.length,
    });
  } finally {
    disk.remove();
  }
});

test('a disk that is full at the end is reported as such', async () => {
  const partial = await blobs.openPartial('at the end');
  await partial.append(text('complete'));
  const probe = await open(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const sync = prototype.sync;
  let calls = 0;
  // The first call is for the file, the second one for its new name in the folder.
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    if (++calls === 2) throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'fsync' });
    return sync.call(this);
  });
  try {
    await expect(partial.commit()).rejects.toThrow(StorageFull);
  } finally {
    spy.mockRestore();
  }
  await (await blobs.openPartial('at the end')).close();
});

test('reports the free space', async () => {
  expect(await blobs.freeSpace()).toBeGreaterThan(0);
});

test('an abort while a partial file is hashed frees the key', async () => {
  writeFileSync(join(folder, `key-${createHash('sha256').update('k').digest('hex')}.partial`), 'some');
  await expect(blobs.openPartial('k', AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  const partial = await blobs.openPartial('k');
  expect(partial.size).toBe(4);
  await partial.close();
});

/** Mounts a file system of that size if this user may do so. Otherwise it makes writes fail as on a full disk. */
async function smallDisk(bytes: number): Promise<{ folder: string; grow(): void; remove(): void }> {
  const path = mkdtempSync(join(tmpdir(), 'tabd-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' });
    return {
      folder: path,
      grow: () => execFileSync('mount', ['-o', 'remount,size=64m', path]),
      remove: () => {
        execFileSync('umount', [path]);
        rmSync(path, { recursive: true, force: true });
      },
    };
  } catch {
    const probe = await open(join(path, 'probe'), 'w');
    const prototype = Object.getPrototypeOf(probe) as FileHandle;
    const write = prototype.write as (...args: unknown[]) => Promise<unknown>;
    await probe.close();
    let left = bytes;
    const spy = vi.spyOn(prototype, 'write').mockImplementation(async function (this: FileHandle, ...args) {
      const [buffer, offset, length, position] = args as unknown as [Uint8Array, number, number, number];
      if (left === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      const fits = Math.min(left, length);
      left -= fits;
      return (await write.call(this, buffer, offset, fits, position)) as never;
    });
    return {
      folder: path,
      grow: () => spy.mockRestore(),
      remove: () => rmSync(path, { recursive: true, force: true }),
    };
  }
}
