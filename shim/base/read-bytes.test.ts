import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { readBytes, readFileBytes } from './read-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabd-test-bytes-'));
const path = join(folder, 'digits');
let file: FileHandle;
beforeAll(async () => {
  writeFileSync(path, '0123456789');
  writeFileSync(join(folder, 'empty'), '');
  file = await open(path);
});
afterAll(async () => {
  await file.close();
  rmSync(folder, { recursive: true });
});

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test.each([
  [0, 10, '0123456789'],
  [0, 0, ''],
  [3, 5, '34'],
  [9, 10, '9'],
  [8, 100, '89'],
  [10, 11, ''],
  [50, 60, ''],
])('reads the bytes from %i to %i', async (start, end, expected) => {
  expect(text(await readBytes(file, start, end))).toBe(expected);
});

test('continues after reads that return fewer bytes than requested', async () => {
  const read = (buffer: Uint8Array, offset: number, length: number, position: number) =>
    file.read(buffer, offset, Math.min(length, 3), position);
  expect(text(await readBytes({ read } as unknown as FileHandle, 1, 9))).toBe('12345678');
});

test('stops between two reads when the signal aborts', async () => {
  const abort = new AbortController();
  const reason = new Error('interrupted');
  let reads = 0;
  const read = (buffer: Uint8Array, offset: number, _length: number, position: number) => {
    reads++;
    abort.abort(reason);
    return file.read(buffer, offset, 1, position);
  };
  await expect(readBytes({ read } as unknown as FileHandle, 0, 9, abort.signal)).rejects.toBe(reason);
  expect(reads).toBe(1);
});

test.each([
  ['digits', '0123456789'],
  ['empty', ''],
])('reads all of the file %s', async (name, expected) => {
  expect(text(await readFileBytes(join(folder, name), neverAborted))).toBe(expected);
});

test.each([
  ['a missing file', 'missing', 'ENOENT'],
  ['a folder', '.', 'EISDIR'],
])('rejects for %s', async (_, name, code) => {
  await expect(readFileBytes(join(folder, name), neverAborted)).rejects.toMatchObject({ code });
});

test('an aborted signal takes precedence over a missing file', async () => {
  const reason = new Error('interrupted');
  await expect(readFileBytes(join(folder, 'missing'), AbortSignal.abort(reason))).rejects.toBe(reason);
});
