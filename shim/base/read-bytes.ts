import { type FileHandle, open } from 'node:fs/promises';

/** Bytes a call. Node 20 ends the process when one call reads 2 GiB or more. */
const MAX_READ = 2 ** 30;

/**
 * Bytes [start, end) of an open file, fewer when the file ends earlier.
 *
 * Rejects with `RangeError` when no buffer of that size can be allocated, and with the signal's reason.
 */
export async function readBytes(
  file: FileHandle,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = allocate(end - start);
  let at = 0;
  while (at < bytes.length) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(bytes, at, Math.min(bytes.length - at, MAX_READ), start + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** All bytes of a file. Rejects as `readBytes` does. */
export async function readFileBytes(path: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  signal.throwIfAborted();
  const file = await open(path);
  try {
    return await readBytes(file, 0, (await file.stat()).size, signal);
  } finally {
    await file.close();
  }
}

function allocate(length: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(length);
  } catch (error) {
    const size = (length / 2 ** 30).toFixed(1);
    throw new RangeError(`a file of ${size} GiB does not fit into memory: make it smaller`, {
      cause: error,
    });
  }
}
