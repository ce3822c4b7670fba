/** Dilation and erosion of bright parts. Pixels beyond the edges are ignored. */

import type { Steps } from '../../yielding/steps.ts';
import { emptyRaster, type Raster } from '../rasters.ts';

type Extreme = 'max' | 'min';

/**
 * The maximum or minimum of a square window around each pixel. The time does not depend on the window's size.
 * @param before Neighbors to the left and above. @param after Neighbors to the right and below.
 */
function* slidingExtreme(raster: Raster, before: number, after: number, extreme: Extreme): Steps<Raster> {
  const { batch, height, width, channels } = raster;
  const horizontal = emptyRaster(batch, height, width, channels);
  const slide = windowed(Math.max(width, height), before, after, extreme);
  for (let row = 0; row < batch * height; row++) {
    yield;
    for (let channel = 0; channel < channels; channel++)
      slide(raster.data, horizontal.data, row * width * channels + channel, channels, width);
  }
  const result = emptyRaster(batch, height, width, channels);
  for (let index = 0; index < batch; index++)
    for (let column = 0; column < width * channels; column++) {
      yield;
      slide(
        horizontal.data,
        result.data,
        index * height * width * channels + column,
        width * channels,
        height,
      );
    }
  return result;
}

/** Returns a function that filters a line of `count` numbers, `step` apart. Its queue holds candidates, best first. */
function windowed(longest: number, before: number, after: number, extreme: Extreme) {
  const queue = new Int32Array(longest);
  const sign = extreme === 'max' ? 1 : -1;
  return (source: Float32Array, target: Float32Array, start: number, step: number, count: number): void => {
    let head = 0;
    let tail = 0;
    let next = 0;
    for (let at = 0; at < count; at++) {
      for (; next < count && next <= at + after; next++) {
        const value = sign * source[start + next * step]!;
        while (tail > head && sign * source[start + queue[tail - 1]! * step]! <= value) tail--;
        queue[tail++] = next;
      }
      while (queue[head]! < at - before) head++;
      target[start + at * step] = source[start + queue[head]! * step]!;
    }
  };
}

export const MORPHOLOGIES = [
  'erode',
  'dilate',
  'open',
  'close',
  'gradient',
  'bottom_hat',
  'top_hat',
] as const;
export type Morphology = (typeof MORPHOLOGIES)[number];

/** Applies an operation with a square of `size` pixels. Throws a `RangeError` for an unknown operation. */
export function* morphology(raster: Raster, operation: Morphology, size: number): Steps<Raster> {
  const before = Math.floor(size / 2);
  const after = size - before - 1;
  const erode = (image: Raster) => slidingExtreme(image, before, after, 'min');
  const dilate = (image: Raster) => slidingExtreme(image, before, after, 'max');
  const difference = (first: Raster, second: Raster): Raster => {
    for (let at = 0; at < first.data.length; at++) first.data[at] = first.data[at]! - second.data[at]!;
    return first;
  };
  switch (operation) {
    case 'erode':
      return yield* erode(raster);
    case 'dilate':
      return yield* dilate(raster);
    case 'open':
      return yield* dilate(yield* erode(raster));
    case 'close':
      return yield* erode(yield* dilate(raster));
    case 'gradient':
      return difference(yield* dilate(raster), yield* erode(raster));
    case 'top_hat':
      return difference({ ...raster, data: raster.data.slice() }, yield* dilate(yield* erode(raster)));
    case 'bottom_hat':
      return difference(yield* erode(yield* dilate(raster)), raster);
    default:
      throw new RangeError(`there is no operation called '${operation}': use ${MORPHOLOGIES.join(', ')}`);
  }
}

/** Grows a mask by `steps` pixels, or shrinks it by a negative number: in a diamond (tapered corners) or a square. */
export function* growMask(mask: Raster, steps: number, tapered: boolean): Steps<Raster> {
  const extreme = steps < 0 ? 'min' : 'max';
  const reach = Math.abs(steps);
  if (reach === 0) return mask;
  if (!tapered) return yield* slidingExtreme(mask, reach, reach, extreme);
  let current = mask;
  for (let step = 0; step < reach; step++) {
    const next = emptyRaster(mask.batch, mask.height, mask.width, 1);
    if (!diamondStep(current, next, extreme)) return current;
    current = next;
    yield;
  }
  return current;
}

/** Writes the extreme of each pixel and its four neighbors to `to`. Returns whether any pixel changed. */
function diamondStep(from: Raster, to: Raster, extreme: Extreme): boolean {
  const { height, width, data } = from;
  const pick = extreme === 'max' ? Math.max : Math.min;
  let changed = false;
  for (let at = 0; at < data.length; at++) {
    const x = at % width;
    const y = Math.floor(at / width) % height;
    const center = data[at]!;
    let value = center;
    if (x > 0) value = pick(value, data[at - 1]!);
    if (x < width - 1) value = pick(value, data[at + 1]!);
    if (y > 0) value = pick(value, data[at - width]!);
    if (y < height - 1) value = pick(value, data[at + width]!);
    to.data[at] = value;
    if (value !== center) changed = true;
  }
  return changed;
}
