/** Request bodies compressed with Zstandard (RFC 8878). Its frames are checked before the library allocates memory for them. */
import { Decompress } from 'fzstd';
import { concatBytes } from '#core/base';
import { ApiError } from '../errors/api-error.ts';

/** Bytes. */
const MAX_DECOMPRESSED = 20 * 1024 * 1024;
/** Bytes. The strongest levels use this much for bodies of that size. */
const MAX_WINDOW = 32 * 1024 * 1024;
const FRAME_MAGIC = 0xfd2fb528;

const undecodable = () => new ApiError(400, 'failed to decompress request body');

/** A little-endian number of `length` bytes. Throws RangeError past the end. */
function readNumber(view: DataView, at: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + view.getUint8(at + i);
  return value;
}

/** The header of the frame at `start`: the bytes of its window, and the offset of its first block. */
function readFrameHeader(view: DataView, start: number): { window: number; blocks: number } {
  const flags = view.getUint8(start + 4);
  const isSingleSegment = (flags >> 5) & 1;
  const dictionaryIdBytes = [0, 1, 2, 4][flags & 3]!;
  const sizeFlag = flags >> 6;
  const sizeBytes = sizeFlag ? 1 << sizeFlag : isSingleSegment;
  const sizeOffset = start + 6 - isSingleSegment + dictionaryIdBytes;
  const blocks = sizeOffset + sizeBytes;
  if (isSingleSegment) {
    // The format stores a content size of two bytes minus 256.
    return { window: readNumber(view, sizeOffset, sizeBytes) + (sizeFlag === 1 ? 256 : 0), blocks };
  }
  const descriptor = view.getUint8(start + 5);
  const base = 2 ** (10 + (descriptor >> 3));
  return { window: base + (base / 8) * (descriptor & 7), blocks };
}

/** The offset where the frame at `start` ends. Its blocks begin at `blocks`. */
function endOfFrame(view: DataView, start: number, blocks: number): number {
  let at = blocks;
  for (let isLast = false; !isLast; ) {
    const header = readNumber(view, at, 3);
    isLast = (header & 1) === 1;
    const isRunLength = ((header >> 1) & 3) === 1;
    at += 3 + (isRunLength ? 1 : header >> 3);
  }
  const hasChecksum = (view.getUint8(start + 4) >> 2) & 1;
  return at + 4 * hasChecksum;
}

/** Throws ApiError 400 for a frame with too large a window, which the library would allocate at once. */
function checkWindows(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    for (let at = 0; at < bytes.length; ) {
      const magic = readNumber(view, at, 4);
      const isSkippable = magic >= 0x184d2a50 && magic <= 0x184d2a5f;
      if (isSkippable) {
        at += 8 + readNumber(view, at + 4, 4);
        continue;
      }
      if (magic !== FRAME_MAGIC) throw undecodable();
      const { window, blocks } = readFrameHeader(view, at);
      if (window > MAX_WINDOW) throw undecodable();
      at = endOfFrame(view, at, blocks);
    }
  } catch (error) {
    throw error instanceof RangeError ? undecodable() : error;
  }
}

/**
 * Decompresses a body.
 * @throws ApiError 400 for damaged data, for more than 20 MiB decompressed, and for windows beyond 32 MiB
 */
export function decompressZstd(bytes: Uint8Array): Uint8Array {
  checkWindows(bytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isComplete = false;
  const stream = new Decompress((chunk, isFinal) => {
    size += chunk.byteLength;
    if (size > MAX_DECOMPRESSED) throw undecodable();
    // The library uses the chunk's memory again.
    chunks.push(chunk.slice());
    isComplete = isFinal ?? false;
  });
  try {
    stream.push(bytes, true);
  } catch {
    throw undecodable();
  }
  if (!isComplete) throw undecodable();
  return concatBytes(chunks);
}
