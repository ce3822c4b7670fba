import { ImageUnreadable } from '../pixels.ts';
import { crc32 } from './crc.ts';

export const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);

/** One chunk of a PNG file (PNG, third edition, section 5). */
export interface PngChunk {
  /** Four letters. A capital first letter marks a chunk without which the image cannot be shown. */
  type: string;
  data: Uint8Array;
}

/** Far more than files have. Each chunk costs the reader time. */
const MAX_CHUNKS = 100_000;

/**
 * The chunks up to IEND. Damaged chunks that the image does not need are left out.
 * @throws `ImageUnreadable` for a damaged chunk that the image needs, and for a truncated file
 */
export function* readChunks(bytes: Uint8Array): Generator<PngChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = SIGNATURE.length;
  for (let count = 0; ; count++) {
    if (count === MAX_CHUNKS) throw new ImageUnreadable(`the PNG file has over ${MAX_CHUNKS} chunks`);
    if (at + 12 > bytes.length) throw new ImageUnreadable('the PNG file ends too early: it is cut off');
    const length = view.getUint32(at);
    const end = at + 12 + length;
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (end > bytes.length)
      throw new ImageUnreadable(`the PNG file ends in the middle of its ${type} chunk: it is cut off`);
    const isIntact = crc32(bytes.subarray(at + 4, end - 4)) === view.getUint32(end - 4);
    const isNeeded = (bytes[at + 4]! & 32) === 0 || type === 'fdAT' || type === 'fcTL';
    if (!isIntact && isNeeded)
      throw new ImageUnreadable(`the ${type} chunk of the PNG file is damaged (checksum)`);
    if (isIntact) yield { type, data: bytes.subarray(at + 8, end - 4) };
    if (type === 'IEND') return;
    at = end;
  }
}

/** The file of these chunks, with signature and checksums. */
export function writeChunks(chunks: readonly PngChunk[]): Uint8Array<ArrayBuffer> {
  const size = chunks.reduce((sum, { data }) => sum + data.length + 12, SIGNATURE.length);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  bytes.set(SIGNATURE);
  let at = SIGNATURE.length;
  for (const { type, data } of chunks) {
    view.setUint32(at, data.length);
    for (let index = 0; index < 4; index++) bytes[at + 4 + index] = type.charCodeAt(index);
    bytes.set(data, at + 8);
    view.setUint32(at + 8 + data.length, crc32(bytes.subarray(at + 4, at + 8 + data.length)));
    at += data.length + 12;
  }
  return bytes;
}
