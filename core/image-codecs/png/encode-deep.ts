import { zlibSync } from 'fflate';
import { writeChunks } from './chunks.ts';
import { textChunk } from './text-chunks.ts';

/** An image with 16 bits a channel: red, green, blue and, of four, opacity. */
export interface DeepPixels {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  /** Row-major, the channels of a pixel next to each other. */
  readonly data: Uint16Array;
}

/**
 * Encodes an image as PNG with 16 bits a channel.
 * @param options `texts` by keyword, which come before the pixels in this order
 */
export function encodeDeepPng(
  { width, height, channels, data }: DeepPixels,
  options: { texts?: Readonly<Record<string, string>> } = {},
): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, 16);
  header.setUint8(9, channels === 4 ? 6 : 2);
  const rowBytes = 2 * width * channels;
  const raw = new Uint8Array((rowBytes + 1) * height);
  for (let row = 0; row < height; row++) {
    const to = row * (rowBytes + 1);
    // Filter 2: each row is the difference to the row above, byte by byte.
    raw[to] = 2;
    for (let at = 0; at < rowBytes; at++)
      raw[to + 1 + at] =
        byteAt(data, row * rowBytes + at) - (row === 0 ? 0 : byteAt(data, (row - 1) * rowBytes + at));
  }
  return writeChunks([
    { type: 'IHDR', data: new Uint8Array(header.buffer) },
    ...Object.entries(options.texts ?? {}).map(([key, text]) => textChunk(key, text)),
    { type: 'IDAT', data: zlibSync(raw, { level: 4 }) },
    { type: 'IEND', data: new Uint8Array() },
  ]);
}

/** The bytes of 16-bit numbers, the high one first. */
const byteAt = (data: Uint16Array, at: number): number =>
  at % 2 === 0 ? data[at >> 1]! >> 8 : data[at >> 1]! & 255;
