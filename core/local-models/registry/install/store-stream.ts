import { type BlobInfo, type Digest, DigestMismatch, type Host, StorageFull } from '#core/host';
import { ApiError } from '#core/http';
import { formatModelSize } from '../transfer/format-bytes.ts';
import { pendingBlobs, uploadKey } from '../transfer/pending-blobs.ts';
import { readPieces } from '../transfer/read-pieces.ts';

type StoreHost = Pick<Host, 'blobs' | 'records' | 'clock' | 'log'>;

/**
 * Stores an upload under the digest of its bytes. Nothing remains of an incomplete one.
 * @returns false when `expected` was stored already; then nothing is read
 * @throws ApiError 400 when the bytes have another digest, 507 when they do not fit; or the reason of `signal`
 */
export async function storeUpload(
  host: StoreHost,
  expected: Digest,
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<boolean> {
  if (await host.blobs.stat(expected)) {
    await bytes.cancel().catch(() => {});
    return false;
  }
  const { digest } = await resultOf(storeStream(host, bytes, signal));
  await pendingBlobs(host.records).put(uploadKey(digest), {
    name: 'an upload',
    startedAt: host.clock.now(),
  });
  const mismatch = new DigestMismatch(expected, digest);
  if (digest !== expected) throw new ApiError(400, mismatch.message, { cause: mismatch });
  return true;
}

/**
 * Stores a stream as a blob. Deletes the part of a stream that fails; after a crash a later `prune` does.
 * Yields the number of bytes written.
 * @param check sees every piece with its offset before it is written
 * @throws ApiError 507 when the stream does not fit; what `check` throws; or the reason of `signal`
 */
export async function* storeStream(
  host: StoreHost,
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  check: (piece: Uint8Array, offset: number) => void = () => {},
): AsyncGenerator<number, BlobInfo> {
  const key = `upload-${crypto.randomUUID()}`;
  await pendingBlobs(host.records).put(key, { name: 'an upload', startedAt: host.clock.now() });
  try {
    const partial = await host.blobs.openPartial(key, signal);
    try {
      for await (const piece of readPieces(bytes, signal, () => {})) {
        check(piece, partial.size);
        await partial.append(piece);
        yield partial.size;
      }
      return await partial.commit();
    } finally {
      await partial.close();
    }
  } catch (error) {
    if (!(error instanceof StorageFull)) throw error;
    const free = await host.blobs.freeSpace();
    const left = free === undefined ? '' : ` (${formatModelSize(free)} are free)`;
    throw new ApiError(507, `${error.message}${left}`, { cause: error });
  } finally {
    await deleteLeftover(host, key);
  }
}

/** A failing disk may not delete the bytes. Their record stays then, so that a later `prune` deletes them. */
async function deleteLeftover(host: StoreHost, key: string): Promise<void> {
  try {
    await host.blobs.deletePartial(key);
    await pendingBlobs(host.records).delete(key);
  } catch (error) {
    host.log.warn('an interrupted upload could not be deleted', { error: String(error) });
  }
}

/** Runs `steps` to their end, and returns their result. */
export async function resultOf<T>(steps: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value;
  }
}
