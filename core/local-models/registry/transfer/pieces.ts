/** Stores write large pieces several times faster than the small ones that networks deliver. */
const pieceSize = 1024 * 1024;

/**
 * The bytes of a stream in pieces of about a megabyte. When the stream fails or `signal` aborts, what had arrived is
 * yielded first, then the error is thrown. `onBytes` tells of every arrival at once.
 */
export async function* readPieces(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const onAbort = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', onAbort);
  let parts: Uint8Array[] = [];
  let length = 0;
  const join = () => {
    const piece = parts.length === 1 ? parts[0]! : concat(parts, length);
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
      if (length >= pieceSize) yield join();
    }
    if (length > 0) yield join();
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await reader.cancel().catch(() => {});
  }
}

function concat(parts: Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
