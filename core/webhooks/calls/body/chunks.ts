/** The bytes of a request, piece by piece, bounded. */
import { BodyTooLarge, BodyUnreadable } from './errors.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Throws `BodyTooLarge`, `BodyUnreadable` (packed in a way that cannot be unpacked), and the signal's reason when the
 * client leaves while sending. `limit`: bytes, also of what comes out of a packed body.
 */
export async function* bodyChunks(
  request: Request,
  limit: number,
  what: 'body' | 'form' = 'body',
): AsyncGenerator<Bytes> {
  const { signal, headers } = request;
  if (Number(headers.get('content-length') ?? 0) > limit) {
    await request.body?.cancel().catch(() => {});
    throw new BodyTooLarge(limit, what);
  }
  const packing = packingOf(headers);
  const stream = request.body ?? (await wholeBody(request));
  if (!stream) return;
  const reader = (packing ? stream.pipeThrough(new DecompressionStream(packing)) : stream).getReader();
  const leave = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', leave, { once: true });
  try {
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        signal.throwIfAborted();
        throw packing ? new BodyUnreadable(`not ${packing}: ${(error as Error).message}`) : error;
      });
      signal.throwIfAborted();
      if (done) return;
      size += value.byteLength;
      if (size > limit) throw new BodyTooLarge(limit, what);
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    reader.cancel().catch(() => {});
  }
}

function packingOf(headers: Headers): 'gzip' | 'deflate' | undefined {
  const name = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  if (name === 'gzip' || name === 'x-gzip') return 'gzip';
  if (name === 'deflate') return 'deflate';
  throw new BodyUnreadable(`unsupported content encoding "${name}": send gzip, deflate or none`, 415);
}

/** Firefox has no `Request.body`, whether or not there is one. */
async function wholeBody(request: Request): Promise<ReadableStream<Bytes> | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const blob = await request.blob();
  return blob.size > 0 ? blob.stream() : undefined;
}

export async function joined(chunks: AsyncIterable<Bytes>): Promise<Bytes> {
  const parts: Bytes[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.byteLength;
  }
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}
