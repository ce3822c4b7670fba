import { describe, expect, test } from 'vitest';
import { ModelCorrupt, type ModelFile } from '#core/host';
import { readSmallFile } from './small-file.ts';

describe('readSmallFile', () => {
  const blobs = { read: () => new Blob(['abc']).stream() as ReadableStream<Uint8Array<ArrayBuffer>> };
  const file = (size: number, name?: string): ModelFile => ({
    role: 'tokenizer',
    digest: 'sha256:0',
    size,
    ...(name && { name }),
  });

  test('returns the bytes', async () => {
    expect(await readSmallFile(blobs, file(3))).toEqual(Uint8Array.of(97, 98, 99));
    expect(await readSmallFile(blobs, file(64 * 2 ** 20))).toHaveLength(3);
  });

  test('refuses a long file, by its name or digest', async () => {
    const size = 64 * 2 ** 20 + 1;
    await expect(readSmallFile(blobs, file(size, 'a.json'))).rejects.toThrow(
      new ModelCorrupt(`a.json is too long (${size} bytes)`),
    );
    await expect(readSmallFile(blobs, file(size))).rejects.toThrow('sha256:0 is too long');
  });
});
