/** Request bodies compressed with Zstandard. */
import { Decompress } from 'fzstd';
import { concatBytes } from '#core/base';
import { ApiError } from '../errors/api-error.ts';

const MAX_DECODED = 20 * 1024 * 1024;
/** The strongest levels use this much for bodies of that size. It is allocated before the first byte is decoded. */
const MAX_WINDOW = 32 * 1024 * 1024;
const MAGIC = 0xfd2fb528;

const refused = () => new ApiError(400, 'failed to decompress request body');

/** Little-endian. Throws RangeError beyond the end. */
function number(view: DataView, at: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + view.getUint8(at + i);
  return value;
}

/** Header of the frame at `start`: its window in bytes, and where its blocks begin. */
function readHeader(view: DataView, start: number): { window: number; blocks: number } {
  const flags = view.getUint8(start + 4);
  const single = (flags >> 5) & 1;
  const dictionary = [0, 1, 2, 4][flags & 3]!;
  const sizeFlag = flags >> 6;
  const sizeBytes = sizeFlag ? 1 << sizeFlag : single;
  const sizeAt = start + 6 - single + dictionary;
  const blocks = sizeAt + sizeBytes;
  if (single) return { window: number(view, sizeAt, sizeBytes) + (sizeFlag === 1 ? 256 : 0), blocks };
  const descriptor = view.getUint8(start + 5);
  const base = 2 ** (10 + (descriptor >> 3));
  return { window: base + (base / 8) * (descriptor & 7), blocks };
}

/** Where the frame at `start` ends. */
function endOfFrame(view: DataView, start: number, blocks: number): number {
  let at = blocks;
  for (let last = false; !last; ) {
    const head = number(view, at, 3);
    last = (head & 1) === 1;
    const isRun = ((head >> 1) & 3) === 1;
    at += 3 + (isRun ? 1 : head >> 3);
  }
  const checksum = (view.getUint8(start + 4) >> 2) & 1;
  return at + 4 * checksum;
}

/** Throws ApiError 400 for a frame that would have more memory taken than any honest one. */
function checkWindows(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    for (let at = 0; at < bytes.length; ) {
      const magic = number(view, at, 4);
      if (magic >= 0x184d2a50 && magic <= 0x184d2a5f) {
        at += 8 + number(view, at + 4, 4);
        continue;
      }
      if (magic !== MAGIC) throw refused();
      const { window, blocks } = readHeader(view, at);
      if (window > MAX_WINDOW) throw refused();
      at = endOfFrame(view, at, blocks);
    }
  } catch (error) {
    throw error instanceof RangeError ? refused() : error;
  }
}

/** Throws ApiError 400 for damaged data, for more than 20 MiB decoded, and for windows beyond 32 MiB. */
export function decompressZstd(bytes: Uint8Array): Uint8Array {
  checkWindows(bytes);
  const pieces: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  const stream = new Decompress((piece, final) => {
    size += piece.byteLength;
    if (size > MAX_DECODED) throw refused();
    pieces.push(piece.slice());
    ended = final ?? false;
  });
  try {
    stream.push(bytes, true);
  } catch {
    throw refused();
  }
  if (!ended) throw refused();
  return concatBytes(pieces);
}
