import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { readBytes, readFileBytes } from '../base/read-bytes.ts';
import { DiskFiles } from './disk-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabd-test-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
const files = new DiskFiles(folder);
const { signal } = new AbortController();

/** Records the requested lengths. Nothing is read, so the memory is never touched. */
async function readLengths(work: () => Promise<Uint8Array>): Promise<[lengths: number[], size: number]> {
  const probe = await open(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const lengths: number[] = [];
  const spy = vi.spyOn(prototype, 'read').mockImplementation(((_: unknown, __: number, length: number) => {
    lengths.push(length);
    return Promise.resolve({ bytesRead: length });
  }) as never);
  try {
    return [lengths, (await work()).length];
  } finally {
    spy.mockRestore();
  }
}

it.each([
  ['by its place among the files', () => files.read('large')],
  ['by its path', () => readFileBytes(join(folder, 'large'), signal)],
])('a file above 2 GiB is read in parts that the system takes: %s', async (_, work) => {
  writeFileSync(join(folder, 'large'), '');
  truncateSync(join(folder, 'large'), 2 ** 31 + 5);
  const [lengths, size] = await readLengths(work);
  expect(size).toBe(2 ** 31 + 5);
  expect(lengths).toEqual([2 ** 30, 2 ** 30, 5]);
});

it('a file that does not fit into memory is an error', async () => {
  const file = await open(join(folder, 'huge'), 'w');
  try {
    await expect(readBytes(file, 5, 5 + 2 ** 53 - 2 ** 30)).rejects.toThrow(
      'a file of 8388607.0 GiB does not fit into memory: make it smaller',
    );
  } finally {
    await file.close();
  }
});

it('a range behind the end is empty', async () => {
  await files.write('small', new Uint8Array([1, 2, 3]));
  expect([...(await files.read('small', 1, 9))]).toEqual([2, 3]);
  expect([...(await files.read('small', 3))]).toEqual([]);
  expect([...(await files.read('small', 8, 9))]).toEqual([]);
});
