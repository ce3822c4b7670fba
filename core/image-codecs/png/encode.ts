import { zlibSync } from 'fflate';
import type { Pixels } from '../pixels.ts';
import { type Chunk, writeChunks } from './chunks.ts';
import { textChunk } from './text-chunks.ts';

export type CompressionLevel = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** RGB or RGBA of 8 bits. Texts come before the pixels, in their order: `prompt`, `workflow` … */
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
 * Frames of one size, each shown for `milliseconds`. Texts come after the first frame, in chunks called `comf`, where
 * clients of document 2 look for them in animations.
 */
export function encodeAnimatedPng(
  frames: readonly Pixels[],
  options: { milliseconds: number; level?: CompressionLevel; texts?: Readonly<Record<string, string>> },
): Uint8Array<ArrayBuffer> {
  const first = frames[0]!;
  const level = options.level ?? 4;
  if (frames.length === 1 && Object.keys(options.texts ?? {}).length === 0)
    return encodePng(first, { level });
  const chunks: Chunk[] = [headerChunk(first)];
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

function headerChunk({ width, height, channels }: Pixels): Chunk {
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
  // a fraction of two 16-bit numbers
  const long = milliseconds > 65535;
  view.setUint16(20, Math.min(65535, Math.max(1, Math.round(long ? milliseconds / 1000 : milliseconds))));
  view.setUint16(22, long ? 1 : 1000);
  return new Uint8Array(view.buffer);
}

/** Lines as differences to the line above (filter 2): as small as choosing per line in most pictures, and much faster. */
function compress({ width, height, channels, data }: Pixels, level: CompressionLevel): Uint8Array {
  const line = width * channels;
  const raw = new Uint8Array((line + 1) * height);
  for (let row = 0; row < height; row++) {
    const to = row * (line + 1);
    const from = row * line;
    raw[to] = row === 0 ? 1 : 2;
    const back = row === 0 ? channels : line;
    for (let at = 0; at < line; at++)
      raw[to + 1 + at] = data[from + at]! - (row === 0 && at < channels ? 0 : data[from + at - back]!);
  }
  return zlibSync(raw, { level });
}
