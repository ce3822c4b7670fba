import { zlibSync } from 'fflate';
import type { Pixels } from '../pixels.ts';
import { type PngChunk, writeChunks } from './chunks.ts';
import { textChunk } from './text-chunks.ts';

/** zlib's levels: 0 stores, 1 is the fastest, 9 gives the smallest file. */
export type CompressionLevel = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/**
 * Encodes an image as PNG with 8 bits a channel.
 * @param options `texts` by keyword, such as `prompt`, which come before the pixels in this order; `level` of zlib,
 *   default 4
 */
export function encodePng(
  pixels: Pixels,
  options: { texts?: Readonly<Record<string, string>>; level?: CompressionLevel } = {},
): Uint8Array<ArrayBuffer> {
  return writeChunks([
    headerChunk(pixels),
    ...Object.entries(options.texts ?? {}).map(([key, text]) => textChunk(key, text)),
    { type: 'IDAT', data: compress(pixels, options.level ?? 4) },
    { type: 'IEND', data: new Uint8Array() },
  ]);
}

/**
 * Encodes frames of one size as an animated PNG that repeats for ever. A single frame without texts becomes a plain PNG.
 * @param options `milliseconds` a frame; `texts` follow the first frame in chunks `comf`, where ComfyUI's clients look for
 *   them; `level` of zlib, default 4
 */
export function encodeAnimatedPng(
  frames: readonly Pixels[],
  options: { milliseconds: number; level?: CompressionLevel; texts?: Readonly<Record<string, string>> },
): Uint8Array<ArrayBuffer> {
  const first = frames[0]!;
  const level = options.level ?? 4;
  if (frames.length === 1 && Object.keys(options.texts ?? {}).length === 0)
    return encodePng(first, { level });
  const chunks: PngChunk[] = [headerChunk(first)];
  const counts = new DataView(new ArrayBuffer(8));
  counts.setUint32(0, frames.length);
  chunks.push({ type: 'acTL', data: new Uint8Array(counts.buffer) });
  let sequence = 0;
  for (const [index, frame] of frames.entries()) {
    chunks.push({ type: 'fcTL', data: frameControl(sequence++, frame, options.milliseconds) });
    const data = compress(frame, level);
    if (index === 0) {
      chunks.push({ type: 'IDAT', data });
      for (const [key, text] of Object.entries(options.texts ?? {}))
        chunks.push({ ...textChunk(key, text), type: 'comf' });
      continue;
    }
    const numbered = new Uint8Array(data.length + 4);
    new DataView(numbered.buffer).setUint32(0, sequence++);
    numbered.set(data, 4);
    chunks.push({ type: 'fdAT', data: numbered });
  }
  chunks.push({ type: 'IEND', data: new Uint8Array() });
  return writeChunks(chunks);
}

function headerChunk({ width, height, channels }: Pixels): PngChunk {
  const view = new DataView(new ArrayBuffer(13));
  view.setUint32(0, width);
  view.setUint32(4, height);
  view.setUint8(8, 8);
  view.setUint8(9, channels === 4 ? 6 : 2);
  return { type: 'IHDR', data: new Uint8Array(view.buffer) };
}

function frameControl(sequence: number, { width, height }: Pixels, milliseconds: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(26));
  view.setUint32(0, sequence);
  view.setUint32(4, width);
  view.setUint32(8, height);
  // The duration in seconds is a fraction of two 16-bit numbers.
  const isLong = milliseconds > 65535;
  view.setUint16(20, Math.min(65535, Math.max(1, Math.round(isLong ? milliseconds / 1000 : milliseconds))));
  view.setUint16(22, isLong ? 1 : 1000);
  return new Uint8Array(view.buffer);
}

/**
 * Compresses rows as differences to the row above (filter 2), the first one to its left (filter 1). For most images that
 * is as small as the best filter for each row, and much faster.
 */
function compress({ width, height, channels, data }: Pixels, level: CompressionLevel): Uint8Array {
  const rowBytes = width * channels;
  const raw = new Uint8Array((rowBytes + 1) * height);
  for (let row = 0; row < height; row++) {
    const to = row * (rowBytes + 1);
    const from = row * rowBytes;
    raw[to] = row === 0 ? 1 : 2;
    const distance = row === 0 ? channels : rowBytes;
    for (let at = 0; at < rowBytes; at++)
      raw[to + 1 + at] = data[from + at]! - (row === 0 && at < channels ? 0 : data[from + at - distance]!);
  }
  return zlibSync(raw, { level });
}
