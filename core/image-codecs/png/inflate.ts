import { Unzlib } from 'fflate';
import { concatBytes } from '#core/base';
import { ImageUnreadable } from '../pixels.ts';

/** Bytes of compressed input at a time. At deflate's best ratio of about 1,030, they expand to at most 17 MB. */
const INPUT_STEP = 16_384;

/**
 * Decompresses zlib data to exactly `size` bytes, and stops there.
 * @throws `ImageUnreadable` for damaged data or fewer bytes
 */
export function inflateTo(parts: readonly Uint8Array[], size: number): Uint8Array {
  const inflated = new Uint8Array(size);
  let filled = 0;
  const inflater = new Unzlib((piece) => {
    const room = inflated.length - filled;
    inflated.set(piece.length > room ? piece.subarray(0, room) : piece, filled);
    filled += Math.min(piece.length, room);
  });
  try {
    for (const part of parts)
      for (let at = 0; at < part.length && filled < size; at += INPUT_STEP)
        inflater.push(part.subarray(at, at + INPUT_STEP));
  } catch (cause) {
    throw new ImageUnreadable('the compressed pixels of the PNG file are damaged', { cause });
  }
  if (filled < size) throw new ImageUnreadable('the PNG file holds fewer pixels than it says: it is cut off');
  return inflated;
}

/** Decompresses a text. Undefined when the data is damaged or longer than `limit`. */
export function inflateUpTo(data: Uint8Array, limit: number): Uint8Array | undefined {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const inflater = new Unzlib((piece) => {
    pieces.push(piece);
    size += piece.length;
  });
  try {
    for (let at = 0; at < data.length && size <= limit; at += INPUT_STEP)
      inflater.push(data.subarray(at, at + INPUT_STEP), at + INPUT_STEP >= data.length);
  } catch {
    return undefined;
  }
  if (size > limit) return undefined;
  return concatBytes(pieces);
}
