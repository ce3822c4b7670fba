/** The RIFF container of WebP files (developers.google.com/speed/webp/docs/riff_container). */
import { ImageUnreadable } from '../pixels.ts';

export interface RiffChunk {
  /** The chunk's name, four letters such as `VP8L`. */
  type: string;
  data: Uint8Array;
}

/**
 * The chunks between two offsets.
 * @throws `ImageUnreadable` for a truncated chunk
 */
export function* readRiff(bytes: Uint8Array, start: number, end: number): Generator<RiffChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = start; at + 8 <= end; ) {
    const type = String.fromCharCode(...bytes.subarray(at, at + 4));
    const length = view.getUint32(at + 4, true);
    if (at + 8 + length > end)
      throw new ImageUnreadable(`the WebP file ends in the middle of its ${type.trim()} part: it is cut off`);
    yield { type, data: bytes.subarray(at + 8, at + 8 + length) };
    at += 8 + length + (length % 2);
  }
}

/** The WebP file of these chunks. */
export function writeWebp(chunks: readonly RiffChunk[]): Uint8Array<ArrayBuffer> {
  const body = writeRiff(chunks);
  const file = new Uint8Array(12 + body.length);
  file.set(letters('RIFF'));
  new DataView(file.buffer).setUint32(4, body.length + 4, true);
  file.set(letters('WEBP'), 8);
  file.set(body, 12);
  return file;
}

/** The chunks one after another, each padded to an even length. */
export function writeRiff(chunks: readonly RiffChunk[]): Uint8Array {
  const size = chunks.reduce((sum, { data }) => sum + 8 + data.length + (data.length % 2), 0);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { type, data } of chunks) {
    bytes.set(letters(type), at);
    view.setUint32(at + 4, data.length, true);
    bytes.set(data, at + 8);
    at += 8 + data.length + (data.length % 2);
  }
  return bytes;
}

const letters = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** A number of three bytes, little-endian. */
export const read24 = (data: Uint8Array, at: number): number =>
  data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16);

export function write24(data: Uint8Array, at: number, value: number): void {
  data[at] = value & 255;
  data[at + 1] = (value >> 8) & 255;
  data[at + 2] = (value >> 16) & 255;
}
