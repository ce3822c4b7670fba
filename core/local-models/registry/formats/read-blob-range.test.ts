import { expect, test } from 'vitest';
import { BlobMissing } from '#core/host';
import { MemoryBlobs } from '#test/support/host/memory-blobs.ts';
import { readBlobRange } from './read-blob-range.ts';

const CONTENT = `${'x'.repeat(64 * 1024)}end`;

test.each([
  [0, 1, 'x'],
  [0, 0, ''],
  [CONTENT.length - 4, CONTENT.length, 'xend'],
  [CONTENT.length - 3, CONTENT.length + 100, 'end'],
  [CONTENT.length, CONTENT.length + 1, ''],
  [0, CONTENT.length, CONTENT],
])('reads the bytes from %i to %i', async (start, end, text) => {
  const blobs = new MemoryBlobs();
  const { digest } = await blobs.put(new TextEncoder().encode(CONTENT));
  expect(new TextDecoder().decode(await readBlobRange(blobs, digest, start, end))).toBe(text);
});

test('rejects when there is no such blob', async () => {
  await expect(readBlobRange(new MemoryBlobs(), 'sha256:1', 0, 4)).rejects.toThrow(BlobMissing);
});

test('rejects when the read fails', async () => {
  const error = new Error('disk');
  const read = () => new ReadableStream<never>({ start: (controller) => controller.error(error) });
  await expect(readBlobRange({ read }, 'sha256:1', 0, 4)).rejects.toThrow('disk');
});
