/** Preparation of images and masks for inpainting. */
import { emptyRaster, mapRaster, type Raster, repeatToBatch } from '../rasters.ts';
import { resize } from '../resize/resize.ts';
import { clamp01, roundHalfEven } from '../rounding.ts';
import { crop } from './geometry.ts';

/** Image and mask cropped around the center to multiples of `unit`. The mask is resized to the image first. */
export function trimToMultiple(pixels: Raster, mask: Raster, unit: number): { pixels: Raster; mask: Raster } {
  const sized =
    mask.height === pixels.height && mask.width === pixels.width
      ? mask
      : resize(mask, pixels.width, pixels.height, 'bilinear');
  const [width, height] = [pixels.width - (pixels.width % unit), pixels.height - (pixels.height % unit)];
  if (width === 0 || height === 0)
    throw new RangeError(
      `an image of ${pixels.width} x ${pixels.height} is too small for this model: ${unit} x ${unit} at least`,
    );
  if (width === pixels.width && height === pixels.height) return { pixels, mask: sized };
  const [x, y] = [Math.floor((pixels.width % unit) / 2), Math.floor((pixels.height % unit) / 2)];
  return { pixels: crop(pixels, x, y, width, height), mask: crop(sized, x, y, width, height) };
}

/** Replaces the image with gray (0.5) where the mask is above 0.5. */
export function grayOut(pixels: Raster, mask: Raster): Raster {
  const result: Raster = { ...pixels, data: pixels.data.slice() };
  const maskValues = repeatToBatch(mask, pixels.batch).data;
  for (let at = 0; at < result.data.length; at++)
    if (roundHalfEven(maskValues[Math.floor(at / result.channels)]!) !== 0) result.data[at] = 0.5;
  return result;
}

/** Rounds a mask to 0 and 1, and grows its white part by a square of `size` pixels. */
export function growBinaryMask(mask: Raster, size: number): Raster {
  const hard = mapRaster(mask, (value) => clamp01(roundHalfEven(value)));
  if (size === 0) return hard;
  const before = Math.ceil((size - 1) / 2);
  // First along rows, then along columns: together they grow by a square.
  const across = growAlong(hard, size, before, 1, hard.width);
  return growAlong(across, size, before, hard.width, hard.height);
}

/** Grows along one axis. `step` is the distance of neighbors in the data, `length` the number of pixels of a line. */
function growAlong(mask: Raster, size: number, before: number, step: number, length: number): Raster {
  const result = emptyRaster(mask.batch, mask.height, mask.width, 1);
  for (let at = 0; at < mask.data.length; at++) {
    if (mask.data[at] === 0) continue;
    const position = Math.floor(at / step) % length;
    // The window of a pixel begins `before` pixels ahead of it, so a white pixel reaches these neighbors.
    const [from, to] = [Math.max(0, position + before - size + 1), Math.min(length - 1, position + before)];
    for (let target = from; target <= to; target++) result.data[at + (target - position) * step] = 1;
  }
  return result;
}
