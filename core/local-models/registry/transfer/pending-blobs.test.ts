import { expect, test } from 'vitest';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { pendingBlobs, uploadedDigest, uploadKey } from './pending-blobs.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test('the key of an upload contains its digest', () => {
  expect(uploadedDigest(uploadKey(digest))).toBe(digest);
});

test.each([digest, 'https://example.test/uploaded-model.gguf', ''])(
  'the partial "%s" is no upload',
  (key) => {
    expect(uploadedDigest(key)).toBeUndefined();
  },
);

test('every view of the same records has the same pending blobs', async () => {
  const records = new MemoryRecords();
  const pending = { name: 'w.gguf', validator: '"v1"', startedAt: 1 };
  await pendingBlobs(records).put('key', pending);
  expect(await pendingBlobs(records).get('key')).toEqual(pending);
  expect(await pendingBlobs(new MemoryRecords()).get('key')).toBeUndefined();
});
