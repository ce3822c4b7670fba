import { concatBytes } from '#core/base';

/** In bytes. Stores write large pieces several times faster than the small ones that networks deliver. */
const PIECE_SIZE = 1024 * 1024;

/**
 * Yields the bytes of a stream in pieces of about a megabyte. When the stream fails or `signal` aborts, yields the bytes
 * that have arrived, then throws the error.
 * @param onBytes is called with the length of every chunk as soon as it arrives
 */
export async function* readPieces(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const onAbort = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', onAbort);
  // The signal may have aborted before the first read, and then reports nothing.
  if (signal.aborted) onAbort();
  let parts: Uint8Array[] = [];
  let length = 0;
  const join = () => {
    const piece = parts.length === 1 ? parts[0]! : concatBytes(parts);
    parts = [];
    length = 0;
    return piece;
  };
  let failure: unknown;
  try {
    for (;;) {
      const next = await reader.read().catch((error: unknown) => {
        failure = error ?? new Error('the stream failed');
        return undefined;
      });
      if (!next || next.done) break;
      onBytes(next.value.length);
      parts.push(next.value);
      length += next.value.length;
      if (length >= PIECE_SIZE) yield join();
    }
    if (length > 0) yield join();
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await reader.cancel().catch(() => {});
  }
}
