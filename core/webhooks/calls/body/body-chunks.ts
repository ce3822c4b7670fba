/** The bytes of a request body: decompressed, and limited in size. */
import { concatBytes, EventLoopYielder } from '#core/base';
import { BodyTooLarge, BodyUnreadable } from './body-errors.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of a chunk: readers search a chunk without a pause. */
const MAX_CHUNK = 256 * 1024;

/**
 * @param limit bytes, before and after decompression
 * @throws BodyTooLarge, BodyUnreadable for a compression that is unknown or broken, or the reason of the request's
 *   signal when the client disconnects
 */
export async function* bodyChunks(
  request: Request,
  limit: number,
  kind: 'body' | 'form' = 'body',
): AsyncGenerator<Bytes> {
  const { signal, headers } = request;
  if (Number(headers.get('content-length') ?? 0) > limit) {
    await request.body?.cancel().catch(() => {});
    throw new BodyTooLarge(limit, kind);
  }
  const format = compressionFormat(headers);
  const stream = request.body ?? (await bufferedBody(request));
  if (!stream) return;
  const reader = (format ? stream.pipeThrough(new DecompressionStream(format)) : stream).getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const yielder = new EventLoopYielder();
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        signal.throwIfAborted();
        throw format ? new BodyUnreadable(`not ${format}: ${(error as Error).message}`) : error;
      });
      signal.throwIfAborted();
      if (done) return;
      size += value.byteLength;
      if (size > limit) throw new BodyTooLarge(limit, kind);
      for (let at = 0; at < value.byteLength; at += MAX_CHUNK) {
        yield value.subarray(at, at + MAX_CHUNK);
        // Chunks that wait already come without a turn of the event loop. Small bodies need none.
        if (size > MAX_CHUNK) await yielder.yieldIfDue();
      }
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    reader.cancel().catch(() => {});
  }
}

/** Collects all chunks. A single chunk is returned as it is, without a copy. */
export async function joinChunks(chunks: AsyncIterable<Bytes>): Promise<Bytes> {
  const parts: Bytes[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.length === 1 ? parts[0]! : concatBytes(parts);
}

function compressionFormat(headers: Headers): 'gzip' | 'deflate' | undefined {
  const name = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  if (name === 'gzip' || name === 'x-gzip') return 'gzip';
  if (name === 'deflate') return 'deflate';
  throw new BodyUnreadable(`unsupported content encoding "${name}": send gzip, deflate or none`, 415);
}

/** Firefox has no `Request.body`: the body is buffered instead. */
async function bufferedBody(request: Request): Promise<ReadableStream<Bytes> | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const blob = await request.blob();
  return blob.size > 0 ? blob.stream() : undefined;
}
