/**
 * Lanczos with a support of 3, by way of 8-bit pixels: weights in fixed point with 22 bits after the point, columns
 * before rows and bytes in between, as Pillow counts it, so that the bytes are the same.
 */
import type { Steps } from '../paced.ts';
import { emptyRaster, type Raster } from '../rasters.ts';
import { toBytes } from '../rounding.ts';

export function* resizeLanczos(raster: Raster, width: number, height: number): Steps<Raster> {
  const { batch, channels } = raster;
  const made = emptyRaster(batch, height, width, channels);
  const size = raster.height * raster.width * channels;
  for (let picture = 0; picture < batch; picture++) {
    const bytes = toBytes(raster.data.subarray(picture * size, (picture + 1) * size));
    if (channels === 4) premultiply(bytes);
    const columns = yield* resizeBytes(bytes, raster.height, raster.width, width, channels, 1);
    const rows = yield* resizeBytes(columns, width, raster.height, height, channels, width);
    if (channels === 4) unpremultiply(rows);
    const target = picture * height * width * channels;
    for (let at = 0; at < rows.length; at++) made.data[target + at] = rows[at]! / 255;
  }
  return made;
}

const PRECISION = 22;
const ONE = 2 ** PRECISION;

/**
 * One axis. `lines` runs across it; `step` is the distance of neighbours along it in pixels, 1 for columns (lines are
 * rows) and the width for rows (lines are columns).
 */
function* resizeBytes(
  bytes: Uint8Array,
  lines: number,
  from: number,
  to: number,
  channels: number,
  step: number,
): Steps<Uint8Array> {
  if (from === to) return bytes;
  const { starts, counts, weights, window } = fixedWeights(from, to);
  const made = new Uint8Array(lines * to * channels);
  const along = step * channels;
  for (let line = 0; line < lines; line++) {
    yield;
    const source = step === 1 ? line * from * channels : line * channels;
    const target = step === 1 ? line * to * channels : line * channels;
    for (let at = 0; at < to; at++)
      for (let channel = 0; channel < channels; channel++) {
        let sum = ONE / 2;
        let place = source + starts[at]! * along + channel;
        for (let tap = at * window; tap < at * window + counts[at]!; tap++, place += along)
          sum += bytes[place]! * weights[tap]!;
        const value = Math.floor(sum / ONE);
        made[target + at * along + channel] = value < 0 ? 0 : Math.min(value, 255);
      }
  }
  return made;
}

function fixedWeights(from: number, to: number) {
  const scale = from / to;
  const stretch = Math.max(scale, 1);
  const support = 3 * stretch;
  const window = Math.ceil(support) * 2 + 1;
  const starts = new Int32Array(to);
  const counts = new Int32Array(to);
  const weights = new Float64Array(to * window);
  for (let at = 0; at < to; at++) {
    const centre = (at + 0.5) * scale;
    const start = Math.max(0, Math.trunc(centre - support + 0.5));
    const end = Math.min(from, Math.trunc(centre + support + 0.5));
    let sum = 0;
    for (let tap = 0; tap < end - start; tap++) {
      const weight = lanczos((tap + start - centre + 0.5) / stretch);
      weights[at * window + tap] = weight;
      sum += weight;
    }
    for (let tap = 0; tap < end - start; tap++) {
      const exact = (weights[at * window + tap]! / (sum || 1)) * ONE;
      weights[at * window + tap] = Math.trunc(exact < 0 ? exact - 0.5 : exact + 0.5);
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
