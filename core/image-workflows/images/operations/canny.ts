/**
 * Edge detection by Canny ("A Computational Approach to Edge Detection", 1986). A Gaussian of 5 x 5 with sigma 1 smooths
 * the image. Sobel gradients are thinned across their direction, in steps of 45 degrees. Weak edges count when they touch
 * strong ones.
 */

import type { Steps } from '../../yielding/steps.ts';
import { emptyRaster, type Raster } from '../rasters.ts';
import { roundHalfEven } from '../rounding.ts';
import { blurWith } from './convolve.ts';

/** 1 on edges and 0 elsewhere, in one channel. Thresholds apply to the gradient: 0 to about 5.7 for values in 0..1. */
export function* canny(image: Raster, low: number, high: number): Steps<Raster> {
  const smooth = yield* blurWith(luma(image), GAUSSIAN);
  const { batch, height, width } = smooth;
  const edges = emptyRaster(batch, height, width, 1);
  for (let index = 0; index < batch; index++) {
    const from = index * height * width;
    const { size, direction } = yield* gradients(
      smooth.data.subarray(from, from + height * width),
      width,
      height,
    );
    markEdges(size, direction, width, height, low, high, edges.data.subarray(from, from + height * width));
  }
  return edges;
}

const GAUSSIAN = [-2, -1, 0, 1, 2]
  .map((x) => Math.exp((-x * x) / 2))
  .map((weight, _, all) => weight / all.reduce((sum, other) => sum + other, 0));

function luma(image: Raster): Raster {
  const gray = emptyRaster(image.batch, image.height, image.width, 1);
  for (let pixel = 0; pixel < gray.data.length; pixel++) {
    const at = pixel * image.channels;
    gray.data[pixel] =
      image.channels < 3
        ? image.data[at]!
        : 0.299 * image.data[at]! + 0.587 * image.data[at + 1]! + 0.114 * image.data[at + 2]!;
  }
  return gray;
}

interface Gradients {
  size: Float32Array;
  /** Eighths of a turn, clockwise from right. */
  direction: Uint8Array;
}

function* gradients(values: Float32Array, width: number, height: number): Steps<Gradients> {
  const size = new Float32Array(values.length);
  const direction = new Uint8Array(values.length);
  for (let y = 0; y < height; y++) {
    yield;
    for (let x = 0; x < width; x++) {
      const at = (dx: number, dy: number) =>
        values[Math.min(Math.max(y + dy, 0), height - 1) * width + Math.min(Math.max(x + dx, 0), width - 1)]!;
      const across = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
      const down = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
      size[y * width + x] = Math.sqrt(across * across + down * down + 1e-6);
      direction[y * width + x] = (roundHalfEven((Math.atan2(down, across) * 4) / Math.PI) + 8) % 8;
    }
  }
  return { size, direction };
}

/** The neighbor in each of the eight directions, as x and y. */
const NEIGHBORS = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
] as const;

/** Writes 1 to `edges` for each strong peak of the gradient, and for weak peaks that are connected to one. */
function markEdges(
  size: Float32Array,
  direction: Uint8Array,
  width: number,
  height: number,
  low: number,
  high: number,
  edges: Float32Array,
): void {
  const neighbor = (at: number, step: number): number => {
    const x = (at % width) + NEIGHBORS[step]![0];
    const y = Math.floor(at / width) + NEIGHBORS[step]![1];
    return x < 0 || y < 0 || x >= width || y >= height ? -1 : y * width + x;
  };
  const weak = new Uint8Array(size.length);
  const strong: number[] = [];
  for (let at = 0; at < size.length; at++) {
    const ahead = neighbor(at, direction[at]!);
    const behind = neighbor(at, (direction[at]! + 4) % 8);
    const isPeak = size[at]! > (ahead < 0 ? 0 : size[ahead]!) && size[at]! > (behind < 0 ? 0 : size[behind]!);
    if (!isPeak || size[at]! <= low) continue;
    weak[at] = 1;
    if (size[at]! > high) {
      edges[at] = 1;
      strong.push(at);
    }
  }
  while (strong.length > 0) {
    const at = strong.pop()!;
    for (let step = 0; step < 8; step++) {
      const next = neighbor(at, step);
      if (next < 0 || !weak[next] || edges[next]) continue;
      edges[next] = 1;
      strong.push(next);
    }
  }
}
