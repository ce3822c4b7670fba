import { expect, test } from 'vitest';
import { BlobMissing, ModelCorrupt } from '#core/host';
import { ApiError } from '#core/http';
import { orBadRequest } from './or-bad-request.ts';

test('returns the result', async () => {
  expect(await orBadRequest(Promise.resolve(7))).toBe(7);
});

test('a damaged file is the fault of the request', async () => {
  const cause = new ModelCorrupt('it has no weights');
  const result = orBadRequest(Promise.reject(cause));
  await expect(result).rejects.toThrow(ApiError);
  await expect(result).rejects.toMatchObject({ status: 400, message: 'it has no weights', cause });
});

test.each([new BlobMissing('sha256:1'), new Error('disk'), undefined])(
  'passes %s unchanged',
  async (error) => {
    await expect(orBadRequest(Promise.reject(error))).rejects.toBe(error);
  },
);
