import type { Blobs, Digest } from '#core/host';
import { hexDigits, sha256 } from './digests.ts';

/**
 * Stores bytes under their digest, unless they are stored already.
 * @param kind the beginning of the partial's name
 * @param hold receives the digest before anything is written
 * @param signal ends the wait for another writer of the same bytes
 */
export async function storeBytes(
  blobs: Blobs,
  kind: 'text' | 'graph',
  bytes: Uint8Array,
  hold: (digest: Digest) => void,
  signal?: AbortSignal,
): Promise<{ digest: Digest; size: number; isNew: boolean }> {
  const digest = await sha256(bytes);
  hold(digest);
  const blob = { digest, size: bytes.length };
  if (await blobs.stat(digest)) return { ...blob, isNew: false };
  const partial = await blobs.openPartial(`${kind}-${hexDigits(digest)}`, signal);
  try {
    await partial.truncate();
    await partial.append(bytes);
    await partial.commit(digest);
  } finally {
    await partial.close();
  }
  return { ...blob, isNew: true };
}
