/** Files that a client uploads to make a model of them. */
import { type BlobInfo, type Digest, DigestMismatch, type Host, StorageFull } from '#core/host';
import { ApiError } from '#core/http';
import type { InstalledModels } from '../installed/installed-models.ts';
import { megabytes } from '../transfer/download.ts';
import { readPieces } from '../transfer/pieces.ts';

type UploadHost = Pick<Host, 'blobs' | 'records' | 'clock'>;

/** Longer ago than this, and nobody comes back for it (milliseconds). */
const forgotten = 14 * 24 * 60 * 60 * 1000;

/** What is being written, or was written and has no model yet. */
interface Begun {
  name: string;
  startedAt: number;
}

const uploaded = 'uploaded-';

/**
 * Stores bytes under the digest that they turn out to have. False: `expected` was here, and nothing was read. Throws
 * ApiError 400 for another digest, 507 for what does not fit, or the signal's reason; a part is never kept.
 */
export async function storeUpload(
  host: UploadHost,
  expected: Digest,
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<boolean> {
  if (await host.blobs.stat(expected)) {
    await bytes.cancel().catch(() => {});
    return false;
  }
  const { digest } = await last(storeStream(host, bytes, signal));
  await host.records
    .collection<Begun>('pulls')
    .put(uploaded + digest, { name: 'an upload', startedAt: host.clock.now() });
  const mismatch = new DigestMismatch(expected, digest);
  if (digest !== expected) throw new ApiError(400, mismatch.message, { cause: mismatch });
  return true;
}

/**
 * Whole or not at all: what was written of a stream that fails is dropped, at the latest by a later `prune`. Yields the
 * bytes that are written. `check` sees every piece before it is. Throws ApiError 507 for what does not fit.
 */
export async function* storeStream(
  host: UploadHost,
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  check: (piece: Uint8Array, at: number) => void = () => {},
): AsyncGenerator<number, BlobInfo> {
  const begun = host.records.collection<Begun>('pulls');
  const key = `upload-${crypto.randomUUID()}`;
  await begun.put(key, { name: 'an upload', startedAt: host.clock.now() });
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
    const left = free === undefined ? '' : ` (${megabytes(free)} are free)`;
    throw new ApiError(507, `${error.message}${left}`, { cause: error });
  } finally {
    await host.blobs.deletePartial(key);
    await begun.delete(key);
  }
}

async function last<T>(steps: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value;
  }
}

/** Drops what downloads and uploads left behind two weeks ago. */
export async function prune(
  { blobs, records, clock }: UploadHost,
  models: InstalledModels,
  signal: AbortSignal,
): Promise<void> {
  const begun = records.collection<Begun>('pulls');
  for (const { key } of await begun.list({ index: 'startedAt', to: clock.now() - forgotten })) {
    signal.throwIfAborted();
    if (key.startsWith(uploaded)) await models.dropUnlessUsed(key.slice(uploaded.length) as Digest);
    else await blobs.deletePartial(key, signal);
    await begun.delete(key);
  }
}
