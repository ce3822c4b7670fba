import { expect, test } from 'vitest';
import { ModelCorrupt } from '#core/host';
import { readZipDirectory, zipEntryStart } from './zip-directory.ts';

/** Positions beyond 32 bits. */
const BIG = 5 * 2 ** 30;
const HEADER = 30;

/** Bytes from fields: [bytes, value] in little endian, or text. */
function record(...fields: ([size: number, value: number] | string)[]): Uint8Array {
  const bytes = fields.flatMap((field) => {
    if (typeof field === 'string') return [...Buffer.from(field)];
    const [size, value] = field;
    return [...new Uint8Array(BigInt64Array.of(BigInt(value), 0n, 0n).buffer)].slice(0, size);
  });
  return Uint8Array.from(bytes);
}

/** A file whose parts lie far from one another. */
function sparse(size: number, parts: readonly [at: number, bytes: Uint8Array][]) {
  return async (start: number, end: number) => {
    if (!(start >= 0 && start <= end && end <= size)) throw new Error(`read ${start} to ${end}`);
    const bytes = new Uint8Array(end - start);
    for (const [at, part] of parts)
      for (let i = 0; i < part.length; i++)
        if (at + i >= start && at + i < end) bytes[at + i - start] = part[i]!;
    return bytes;
  };
}

/** An archive of 10 GB: one entry of 5 GB, and its directory. @param changes of positions in its records */
function large(changes: { directory?: number; end?: number; extra?: number } = {}) {
  const header = record([4, 0x04034b50], [22, 0], [2, 6], [2, 5], 'any/a.');
  const at = BIG + HEADER + 6 + 5 + BIG;
  const { directory = at, extra = 1 } = changes;
  const fields = record([2, extra], [2, 24], [8, BIG], [8, BIG], [8, BIG]);
  const entry = record(
    [4, 0x02014b50],
    [16, 0],
    [4, 0xffffffff],
    [4, 0xffffffff],
    [2, 6],
    [2, 28],
    [10, 0],
    [4, 0xffffffff],
    'any/a.',
  );
  const listed = new Uint8Array([...entry, ...fields]);
  const { end = at + listed.length } = changes;
  const end64 = record([4, 0x06064b50], [8, 44], [12, 0], [8, 1], [8, 1], [8, listed.length], [8, directory]);
  const locator = record([4, 0x07064b50], [4, 0], [8, end], [4, 1]);
  const tail = record([4, 0x06054b50], [4, 0], [4, 0xffffffff], [4, 0xffffffff], [4, 0xffffffff], [2, 0]);
  const last = new Uint8Array([...listed, ...end64, ...locator, ...tail]);
  const size = at + last.length;
  return {
    size,
    read: sparse(size, [
      [BIG, header],
      [at, last],
    ]),
  };
}

test('an archive of 10 GB has positions of 64 bits', async () => {
  const { size, read } = large();
  const entries = await readZipDirectory(size, read);
  const entry = entries.get('any/a.')!;
  expect(entry).toEqual({ name: 'any/a.', header: BIG, size: BIG, isStored: true });
  expect(await zipEntryStart(entry, size, read)).toBe(BIG + HEADER + 6 + 5);
});

test.each([
  ['a directory outside of the file', { directory: 2 ** 52 }],
  ['a directory elsewhere', { directory: 0 }],
  ['an end record outside of the file', { end: 2 ** 52 }],
  ['an end record elsewhere', { end: 0 }],
  ['an entry without its numbers of 64 bits', { extra: 2 }],
])('an archive is damaged by %s', async (_, changes) => {
  const { size, read } = large(changes);
  await expect(readZipDirectory(size, read)).rejects.toThrow(ModelCorrupt);
});

test('an entry is damaged when its own header is missing, or lies with its bytes outside of the file', async () => {
  const { size, read } = large();
  const entry = { name: 'a', header: BIG, size: BIG, isStored: true };
  for (const bad of [{ header: 0 }, { header: size - 4 }, { size: size }])
    await expect(zipEntryStart({ ...entry, ...bad }, size, read)).rejects.toThrow('damaged or incomplete');
});

test('a directory of more than 16 MiB is not read', async () => {
  const tail = record([4, 0x06054b50], [8, 0], [4, 2 ** 25], [4, 0], [2, 0]);
  const size = 2 ** 26;
  const read = sparse(size, [[size - tail.length, tail]]);
  await expect(readZipDirectory(size, read)).rejects.toThrow('damaged');
});
