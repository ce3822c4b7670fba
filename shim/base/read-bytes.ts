import { type FileHandle, open } from 'node:fs/promises';

/** One call reads less than 2 GiB; Node 20 ends the process at a longer one. */
const MOST = 2 ** 30;

/**
 * Bytes [start, end) of an open file, fewer where it ends before. Rejects when they are more than memory holds in one piece, and with
 * the signal's reason.
 */
export async function readBytes(
  file: FileHandle,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = room(end - start);
  let at = 0;
  while (at < bytes.length) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(bytes, at, Math.min(bytes.length - at, MOST), start + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** A file of any size that memory holds. Rejects as `readBytes`. */
export async function readWhole(path: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  signal.throwIfAborted();
  const file = await open(path);
  try {
    return await readBytes(file, 0, (await file.stat()).size, signal);
  } finally {
    await file.close();
  }
}

function room(length: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(length);
  } catch (error) {
    const size = (length / 2 ** 30).toFixed(1);
    throw new RangeError(`a file of ${size} GiB is more than memory holds in one piece: make it smaller`, {
      cause: error,
    });
  }
}
