import { createHash } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { fileContext } from '#test/support/image-workflows/node-context.ts';

it.each([
  ['no bytes', 0],
  ['a few', 3],
  ['just a piece', 64 * 2 ** 20],
  ['more', 64 * 2 ** 20 + 5],
])('the digest of %s is that of the whole, and never held whole', async (_, size) => {
  const { files, context } = fileContext();
  const bytes = new Uint8Array(size).fill(7);
  bytes.set([1, 2, 3].slice(0, size), Math.max(0, size - 3));
  await files.write('input/a.mp4', bytes);
  const read = vi.spyOn(files, 'read');
  expect(await context.files.digest('input/a.mp4')).toBe(createHash('sha256').update(bytes).digest('hex'));
  for (const [, start, end] of read.mock.calls) expect(end! - start!).toBeLessThanOrEqual(64 * 2 ** 20);
});
