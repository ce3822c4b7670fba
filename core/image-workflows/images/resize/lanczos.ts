/**
 * Lanczos with a support of 3, by way of 8-bit pixels: weights in fixed point with 22 bits after the point, columns
 * before rows and bytes in between, as Pillow counts it, so that the bytes are the same.
 */

import type { Steps } from '../../yielding/steps.ts';
import { emptyRaster, type Raster } from '../rasters.ts';
import { toBytes } from '../rounding.ts';

export function* resizeLanczos(raster: Raster, width: number, height: number): Steps<Raster> {
  const { batch, channels } = raster;
  const made = emptyRaster(batch, height, width, channels);
  const size = raster.height * raster.width * channels;
  for (let picture = 0; picture < batch; picture++) {
    const bytes = toBytes(raster.data.subarray(picture * size, (picture + 1) * size));
    if (channels === 4) premultiply(bytes);
    const columns = yield* resizeColumns(bytes, raster.height, raster.width, width, channels);
    const rows = yield* resizeRows(columns, raster.height, height, width * channels);
    if (channels === 4) unpremultiply(rows);
    const target = picture * height * width * channels;
    for (let at = 0; at < rows.length; at++) made.data[target + at] = rows[at]! / 255;
  }
  return made;
}

const PRECISION = 22;
const ONE = 2 ** PRECISION;

/** Every line anew, `from` pixels wide to `to`. */
function* resizeColumns(
  bytes: Uint8Array,
  lines: number,
  from: number,
  to: number,
  channels: number,
): Steps<Uint8Array> {
  if (from === to) return bytes;
  const { starts, counts, weights, window } = fixedWeights(from, to);
  const made = new Uint8Array(lines * to * channels);
  let target = 0;
  for (let line = 0; line < lines; line++) {
    yield;
    for (let at = 0; at < to; at++) {
      const source = (line * from + starts[at]!) * channels;
      const first = at * window;
      const last = first + counts[at]!;
      for (let channel = 0; channel < channels; channel++) {
        let sum = ONE / 2;
        for (let tap = first, place = source + channel; tap < last; tap++, place += channels)
          sum = (sum + Math.imul(bytes[place]!, weights[tap]!)) | 0;
        made[target++] = toByte(sum);
      }
    }
  }
  return made;
}

/** Lines as sums of lines: whole ones at a time, as they lie in memory. */
function* resizeRows(bytes: Uint8Array, from: number, to: number, length: number): Steps<Uint8Array> {
  if (from === to) return bytes;
  const { starts, counts, weights, window } = fixedWeights(from, to);
  const made = new Uint8Array(to * length);
  const sums = new Int32Array(length);
  for (let at = 0; at < to; at++) {
    yield;
    sums.fill(ONE / 2);
    for (let tap = 0; tap < counts[at]!; tap++) {
      const weight = weights[at * window + tap]!;
      const source = (starts[at]! + tap) * length;
      for (let i = 0; i < length; i++) sums[i] = (sums[i]! + Math.imul(bytes[source + i]!, weight)) | 0;
    }
    for (let i = 0; i < length; i++) made[at * length + i] = toByte(sums[i]!);
  }
  return made;
}

/** Sums fit in 32 bits: weights add up to one, and their lobes below zero are small. */
function toByte(sum: number): number {
  const value = sum >> PRECISION;
  return value < 0 ? 0 : Math.min(value, 255);
}

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
    const centre = (at + 0.5) * scale;
    const start = Math.max(0, Math.trunc(centre - support + 0.5));
    const end = Math.min(from, Math.trunc(centre + support + 0.5));
    let sum = 0;
    for (let tap = 0; tap < end - start; tap++) {
      exact[tap] = lanczos((tap + start - centre + 0.5) / stretch);
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

/** Colours count by their opacity, so that hidden ones do not bleed out. */
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
