/** Reading request bodies whole. */
import { ApiError } from '../errors/api-error.ts';
import {
  type JsonDocument,
  JsonEmptyError,
  JsonSyntaxError,
  MAX_JSON_NESTING,
  parseJson,
} from '../json/parse-json.ts';
import { decompressZstd } from './zstd.ts';

/** Bodies that are parsed whole: several large images in base64 fit, an attempt to exhaust memory does not. */
export const MAX_JSON_BODY = 128 * 1024 * 1024;

function tooLarge(limit: number): ApiError {
  return new ApiError(413, `request body too large: at most ${limit} bytes are accepted here`);
}

/** Throws ApiError 413 beyond `limit` bytes, and the signal's reason when the client leaves while sending. */
export async function readBodyBytes(
  request: Request,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) {
    await request.body?.cancel().catch(() => {});
    throw tooLarge(limit);
  }
  if (!request.body) {
    // Firefox has no `Request.body`, whether or not there is one.
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.byteLength > limit) throw tooLarge(limit);
    return bytes;
  }
  const reader = request.body.getReader();
  const leave = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', leave, { once: true });
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > limit) {
        await reader.cancel().catch(() => {});
        throw tooLarge(limit);
      }
      chunks.push(value);
    }
    signal.throwIfAborted();
    if (chunks.length === 1) return chunks[0]!;
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    return bytes;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

export interface ReadBodyJsonOptions {
  /** Text of the error for a body without a value. */
  whenEmpty?: string;
  /** `Content-Encoding: zstd` is understood. */
  zstd?: boolean;
}

/** The first JSON value of the body, whatever its content type. ApiError 400 with Go's text for what cannot be read. */
export async function readBodyJson(
  request: Request,
  signal: AbortSignal,
  { whenEmpty = 'missing request body', zstd = false }: ReadBodyJsonOptions = {},
): Promise<JsonDocument> {
  let bytes = await readBodyBytes(request, MAX_JSON_BODY, signal);
  if (zstd && request.headers.get('content-encoding')?.toLowerCase() === 'zstd')
    bytes = decompressZstd(bytes);
  try {
    return parseJson(
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes as BufferSource),
      MAX_JSON_NESTING,
    );
  } catch (error) {
    if (error instanceof JsonEmptyError) throw new ApiError(400, whenEmpty);
    if (error instanceof JsonSyntaxError) throw new ApiError(400, error.message);
    throw error;
  }
}
