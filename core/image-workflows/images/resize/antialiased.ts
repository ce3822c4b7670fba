/**
 * Bicubic resizing with antialiasing, as torch's `interpolate` with `antialias`. The kernel is that of Keys ("Cubic
 * convolution interpolation for digital image processing", 1981, a = -0.5), widened when the image shrinks. Columns come
 * before rows. Values are in single precision and not clamped.
 */

import type { Steps } from '../../yielding/steps.ts';
import { emptyRaster, type Raster } from '../rasters.ts';

export function* resizeAntialiased(raster: Raster, width: number, height: number): Steps<Raster> {
  return yield* rows(yield* columns(raster, width), height);
}

function* columns(raster: Raster, width: number): Steps<Raster> {
  if (raster.width === width) return raster;
  const { batch, height, channels, data } = raster;
  const windows = windowsOf(raster.width, width);
  const result = emptyRaster(batch, height, width, channels);
  for (let row = 0; row < batch * height; row++) {
    yield;
    for (let x = 0; x < width; x++) {
      const { start, weights } = windows[x]!;
      const source = (row * raster.width + start) * channels;
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        for (let tap = 0; tap < weights.length; tap++)
          sum = Math.fround(sum + weights[tap]! * data[source + tap * channels + channel]!);
        result.data[(row * width + x) * channels + channel] = sum;
      }
    }
  }
  return result;
}

function* rows(raster: Raster, height: number): Steps<Raster> {
  if (raster.height === height) return raster;
  const { batch, width, channels, data } = raster;
  const line = width * channels;
  const windows = windowsOf(raster.height, height);
  const result = emptyRaster(batch, height, width, channels);
  const sums = new Float32Array(line);
  for (let index = 0; index < batch; index++)
    for (let y = 0; y < height; y++) {
      yield;
      const { start, weights } = windows[y]!;
      sums.fill(0);
      for (const [tap, weight] of weights.entries()) {
        const source = (index * raster.height + start + tap) * line;
        for (let at = 0; at < line; at++) sums[at]! += weight * data[source + at]!;
      }
      result.data.set(sums, (index * height + y) * line);
    }
  return result;
}

/**
 * The source pixels of each new pixel: the index of the first, and the weight of each. Every step is in single
 * precision: vision encoders round pixels to 256 levels, and other weights would lead to other levels.
 */
function windowsOf(from: number, to: number): { start: number; weights: Float32Array }[] {
  const scale = f(from / to);
  const stretch = Math.max(scale, 1);
  const support = f(2 * stretch);
  const inverse = f(1 / stretch);
  return Array.from({ length: to }, (_, at) => {
    const center = f(scale * (at + 0.5));
    const start = Math.max(Math.trunc(f(f(center - support) + 0.5)), 0);
    const end = Math.min(Math.trunc(f(f(center + support) + 0.5)), from);
    const weights = new Float32Array(end - start);
    let sum = 0;
    for (let tap = 0; tap < weights.length; tap++) {
      weights[tap] = cubic(f((f(start + tap - center) + 0.5) * inverse));
      sum = f(sum + weights[tap]!);
    }
    return { start, weights: weights.map((weight) => weight / sum) };
  });
}

const f = Math.fround;
const A = -0.5;

/** A product with the sum after it is rounded once, as processors do (fused multiply-add). */
function cubic(distance: number): number {
  const x = Math.abs(distance);
  if (x < 1) return f(f(f((A + 2) * x - (A + 3)) * x) * x + 1);
  return x < 2 ? f(f(f(A * x - 5 * A) * x + 8 * A) * x - 4 * A) : 0;
}
