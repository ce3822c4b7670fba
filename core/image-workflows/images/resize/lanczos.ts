/**
 * Lanczos resizing with a support of 3, and the same bytes as Pillow. Pixels have 8 bits, and weights are in fixed point
 * with 22 fraction bits. Columns come before rows, with bytes between them.
 */

import type { Steps } from '../../yielding/steps.ts';
import { emptyRaster, type Raster } from '../rasters.ts';
import { toBytes } from '../rounding.ts';

export function* resizeLanczos(raster: Raster, width: number, height: number): Steps<Raster> {
  const { batch, channels } = raster;
  const result = emptyRaster(batch, height, width, channels);
  const size = raster.height * raster.width * channels;
  for (let index = 0; index < batch; index++) {
    const bytes = toBytes(raster.data.subarray(index * size, (index + 1) * size));
    if (channels === 4) premultiply(bytes);
    const columns = yield* resizeColumns(bytes, raster.height, raster.width, width, channels);
    const rows = yield* resizeRows(columns, raster.height, height, width * channels);
    if (channels === 4) unpremultiply(rows);
    const target = index * height * width * channels;
    for (let at = 0; at < rows.length; at++) result.data[target + at] = rows[at]! / 255;
  }
  return result;
}

const PRECISION = 22;
const ONE = 2 ** PRECISION;

/** Resizes each line from `from` to `to` pixels. */
function* resizeColumns(
  bytes: Uint8Array,
  lines: number,
  from: number,
  to: number,
  channels: number,
): Steps<Uint8Array> {
  if (from === to) return bytes;
  const { starts, counts, weights, window } = fixedWeights(from, to);
  const result = new Uint8Array(lines * to * channels);
  let target = 0;
  for (let line = 0; line < lines; line++) {
    yield;
    for (let at = 0; at < to; at++) {
      const source = (line * from + starts[at]!) * channels;
      const first = at * window;
      const last = first + counts[at]!;
      for (let channel = 0; channel < channels; channel++) {
        let sum = ONE / 2;
        for (let tap = first, offset = source + channel; tap < last; tap++, offset += channels)
          sum = (sum + Math.imul(bytes[offset]!, weights[tap]!)) | 0;
        result[target++] = toByte(sum);
      }
    }
  }
  return result;
}

/** Resizes from `from` to `to` lines of `length` bytes. Adds complete lines, in the order of the memory. */
function* resizeRows(bytes: Uint8Array, from: number, to: number, length: number): Steps<Uint8Array> {
  if (from === to) return bytes;
  const { starts, counts, weights, window } = fixedWeights(from, to);
  const result = new Uint8Array(to * length);
  const sums = new Int32Array(length);
  for (let at = 0; at < to; at++) {
    yield;
    sums.fill(ONE / 2);
    for (let tap = 0; tap < counts[at]!; tap++) {
      const weight = weights[at * window + tap]!;
      const source = (starts[at]! + tap) * length;
      for (let i = 0; i < length; i++) sums[i] = (sums[i]! + Math.imul(bytes[source + i]!, weight)) | 0;
    }
    for (let i = 0; i < length; i++) result[at * length + i] = toByte(sums[i]!);
  }
  return result;
}

/** A fixed-point sum as a byte. Sums fit in 32 bits: weights add up to one, and their negative lobes are small. */
function toByte(sum: number): number {
  const value = sum >> PRECISION;
  return value < 0 ? 0 : Math.min(value, 255);
}

/** For each new pixel its first source pixel, their number, and weights at `index * window`. */
function fixedWeights(from: number, to: number) {
  const scale = from / to;
  const stretch = Math.max(scale, 1);
  const support = 3 * stretch;
  const window = Math.ceil(support) * 2 + 1;
  const starts = new Int32Array(to);
  const counts = new Int32Array(to);
  const exact = new Float64Array(window);
  const weights = new Int32Array(to * window);
  for (let at = 0; at < to; at++) {
    const center = (at + 0.5) * scale;
    const start = Math.max(0, Math.trunc(center - support + 0.5));
    const end = Math.min(from, Math.trunc(center + support + 0.5));
    let sum = 0;
    for (let tap = 0; tap < end - start; tap++) {
      exact[tap] = lanczos((tap + start - center + 0.5) / stretch);
      sum += exact[tap]!;
    }
    for (let tap = 0; tap < end - start; tap++) {
      const weight = (exact[tap]! / (sum || 1)) * ONE;
      weights[at * window + tap] = Math.trunc(weight < 0 ? weight - 0.5 : weight + 0.5);
    }
    starts[at] = start;
    counts[at] = end - start;
  }
  return { starts, counts, weights, window };
}

const lanczos = (x: number): number => (x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0);
const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI));

/** Multiplies colors by alpha, so that the colors of transparent pixels do not bleed into their neighbors. */
function premultiply(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 4)
    for (let channel = at; channel < at + 3; channel++) {
      const product = bytes[channel]! * bytes[at + 3]! + 128;
      bytes[channel] = ((product >> 8) + product) >> 8;
    }
}
function unpremultiply(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 4) {
    const alpha = bytes[at + 3]!;
    if (alpha === 0 || alpha === 255) continue;
    for (let channel = at; channel < at + 3; channel++)
      bytes[channel] = Math.min(255, Math.trunc((255 * bytes[channel]!) / alpha));
  }
}
