import { concatBytes, EventLoopYielder, runYielding } from '#core/base';
import { ApiError } from '../errors/api-error.ts';
import { type JsonDocument, JsonEmptyError, JsonSyntaxError } from '../json/json-nodes.ts';
import { MAX_JSON_NESTING, parseJsonSteps } from '../json/parse-json.ts';
import { decodeText } from './decode-text.ts';

/** Bytes. Several large images in base64 fit; an attempt to exhaust the memory does not. */
export const MAX_JSON_BODY = 128 * 1024 * 1024;

function tooLarge(limit: number): ApiError {
  return new ApiError(413, `request body too large: at most ${limit} bytes are accepted here`);
}

/**
 * Reads the whole body of a request.
 * @param limit bytes
 * @throws ApiError 413 beyond `limit`, and the reason of `signal` when the client disconnects while sending
 */
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
    // Firefox has no `Request.body`, with or without a body.
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.byteLength > limit) throw tooLarge(limit);
    return bytes;
  }
  const reader = request.body.getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const chunks: Uint8Array[] = [];
    // Chunks that wait already come without a turn of the event loop.
    const yielder = new EventLoopYielder();
    let size = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength;
      if (size > limit) {
        await reader.cancel().catch(() => {});
        throw tooLarge(limit);
      }
      chunks.push(next.value);
      await yielder.yieldIfDue();
    }
    // A cancelled stream ends like a complete one.
    signal.throwIfAborted();
    return chunks.length === 1 ? chunks[0]! : concatBytes(chunks);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

export interface ReadBodyJsonOptions {
  /** The text of the error for a body without a value. */
  whenEmpty?: string;
  /** Whether a body with `Content-Encoding: zstd` is decompressed. */
  zstd?: boolean;
}

/**
 * Parses the first JSON value of a request's body, whatever its content type. It yields to the event loop.
 * @throws ApiError 400 with Go's text for a body that is no JSON; otherwise as `readBodyBytes`
 */
export async function readBodyJson(
  request: Request,
  signal: AbortSignal,
  { whenEmpty = 'missing request body', zstd = false }: ReadBodyJsonOptions = {},
): Promise<JsonDocument> {
  let bytes = await readBodyBytes(request, MAX_JSON_BODY, signal);
  if (zstd && request.headers.get('content-encoding')?.toLowerCase() === 'zstd') {
    // Loaded by the first such body: no browser sends one.
    const { decompressZstd } = await import('./zstd.ts');
    bytes = await decompressZstd(bytes);
  }
  try {
    // Go takes a byte order mark for an invalid character.
    const text = await decodeText(bytes, signal, { ignoreBOM: true });
    return await runYielding(parseJsonSteps(text, MAX_JSON_NESTING), signal);
  } catch (error) {
    if (error instanceof JsonEmptyError) throw new ApiError(400, whenEmpty);
    if (error instanceof JsonSyntaxError) throw new ApiError(400, error.message);
    throw error;
  }
}
