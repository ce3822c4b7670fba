import type { Steps } from '../../yielding/steps.ts';
import { emptyRaster, type Raster } from '../rasters.ts';
import { clamp01 } from '../rounding.ts';

/** The index of a pixel beyond an edge, mirrored at the outermost pixel without repeating it. */
function mirrorIndex(at: number, size: number): number {
  if (size === 1) return 0;
  const period = 2 * (size - 1);
  const offset = ((at % period) + period) % period;
  return offset < size ? offset : period - offset;
}

/** Convolves rows and columns with the same centered weights. Mirrors the image at its edges. */
export function* blurWith(raster: Raster, weights: readonly number[]): Steps<Raster> {
  const { batch, height, width, channels, data } = raster;
  const radius = (weights.length - 1) / 2;
  const across = emptyRaster(batch, height, width, channels);
  const line = width * channels;
  // The line that is convolved, extended by its mirrored ends.
  const padded = new Float64Array((width + 2 * radius) * channels);
  const ends = Array.from(
    { length: width + 2 * radius },
    (_, at) => mirrorIndex(at - radius, width) * channels,
  );
  for (let row = 0; row < batch * height; row++) {
    yield;
    for (const [at, source] of ends.entries())
      for (let channel = 0; channel < channels; channel++)
        padded[at * channels + channel] = data[row * line + source + channel]!;
    for (let at = 0; at < line; at++) {
      let sum = 0;
      for (let tap = 0; tap < weights.length; tap++) sum += weights[tap]! * padded[at + tap * channels]!;
      across.data[row * line + at] = sum;
    }
  }
  const result = emptyRaster(batch, height, width, channels);
  const sums = new Float64Array(line);
  for (let index = 0; index < batch; index++)
    for (let y = 0; y < height; y++) {
      yield;
      sums.fill(0);
      for (let tap = 0; tap < weights.length; tap++) {
        const source = (index * height + mirrorIndex(y + tap - radius, height)) * line;
        for (let at = 0; at < line; at++) sums[at] = sums[at]! + weights[tap]! * across.data[source + at]!;
      }
      result.data.set(sums, (index * height + y) * line);
    }
  return result;
}

/** Gaussian weights with sum 1 for 2 * radius + 1 samples. `sigma` is in units of the radius, as in ComfyUI. */
function gaussianWindow(radius: number, sigma: number): number[] {
  const weights = Array.from({ length: 2 * radius + 1 }, (_, at) =>
    Math.exp(-(((at - radius) / radius) ** 2) / (2 * sigma * sigma)),
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Gaussian blur with a window of 2 * radius + 1 pixels. `sigma` is in units of the radius. */
export function* blur(raster: Raster, radius: number, sigma: number): Steps<Raster> {
  return radius === 0 ? raster : yield* blurWith(raster, gaussianWindow(radius, sigma));
}

/** Adds the details that a blur removes, ten times `strength`. Clamps to 0..1. */
export function* sharpen(raster: Raster, radius: number, sigma: number, strength: number): Steps<Raster> {
  if (radius === 0) return raster;
  const blurred = yield* blur(raster, radius, sigma);
  const amount = strength * 10;
  for (let at = 0; at < blurred.data.length; at++)
    blurred.data[at] = clamp01(raster.data[at]! * (1 + amount) - amount * blurred.data[at]!);
  return blurred;
}
