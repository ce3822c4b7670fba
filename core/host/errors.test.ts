import { expect, test } from 'vitest';
import { BlobMissing, DigestMismatch, StorageFull } from './blobs.ts';
import { MediaUnavailable, MediaUnreadable } from './media-codecs.ts';
import { ConnectionNotAllowed } from './network.ts';

test('errors of storage say what is missing or wrong', () => {
  expect(new BlobMissing('sha256:ab')).toMatchObject({
    name: 'BlobMissing',
    digest: 'sha256:ab',
    message: 'blob sha256:ab is not stored here',
  });
  expect(new DigestMismatch('sha256:a', 'sha256:b')).toMatchObject({
    expected: 'sha256:a',
    actual: 'sha256:b',
    message: 'digest mismatch, expected "sha256:a", got "sha256:b"',
  });
});

test('a refused connection is found by its code, also as a cause', () => {
  expect(new ConnectionNotAllowed('10.0.0.1')).toMatchObject({
    code: 'ERR_ADDRESS_NOT_ALLOWED',
    address: '10.0.0.1',
    message: 'connections to 10.0.0.1 are not allowed',
  });
});

test.each([StorageFull, MediaUnavailable, MediaUnreadable])('%o is known by its name', (ErrorClass) => {
  const error = new ErrorClass('why');
  expect([error.name, error.message]).toEqual([ErrorClass.name, 'why']);
});
