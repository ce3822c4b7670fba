/** Pictures of which a part is to be painted anew. */
import { emptyRaster, mapRaster, type Raster, repeatToBatch } from '../rasters.ts';
import { resize } from '../resize/resize.ts';
import { clamp01, roundHalfEven } from '../rounding.ts';
import { crop } from './geometry.ts';

/** Both with sides that are multiples of `unit`, from the middle; the mask first in the size of the picture. */
export function trimToMultiple(pixels: Raster, mask: Raster, unit: number): { pixels: Raster; mask: Raster } {
  const sized =
    mask.height === pixels.height && mask.width === pixels.width
      ? mask
      : resize(mask, pixels.width, pixels.height, 'bilinear');
  const [width, height] = [pixels.width - (pixels.width % unit), pixels.height - (pixels.height % unit)];
  if (width === 0 || height === 0)
    throw new RangeError(
      `a picture of ${pixels.width} x ${pixels.height} is too small for this model: ${unit} x ${unit} at least`,
    );
  if (width === pixels.width && height === pixels.height) return { pixels, mask: sized };
  const [x, y] = [Math.floor((pixels.width % unit) / 2), Math.floor((pixels.height % unit) / 2)];
  return { pixels: crop(pixels, x, y, width, height), mask: crop(sized, x, y, width, height) };
}

/** Grey where the mask is more white than black. */
export function greyOut(pixels: Raster, mask: Raster): Raster {
  const made: Raster = { ...pixels, data: pixels.data.slice() };
  const kept = repeatToBatch(mask, pixels.batch).data;
  for (let at = 0; at < made.data.length; at++)
    if (roundHalfEven(kept[Math.floor(at / made.channels)]!) !== 0) made.data[at] = 0.5;
  return made;
}

/** A mask of black and white, its white part grown by a square of `size` pixels. */
export function growBinaryMask(mask: Raster, size: number): Raster {
  const hard = mapRaster(mask, (value) => clamp01(roundHalfEven(value)));
  if (size === 0) return hard;
  const before = Math.ceil((size - 1) / 2);
  // Rows, then columns: white where any pixel of the square is.
  const across = spread(hard, size, before, 1, hard.width);
  return spread(across, size, before, hard.width, hard.height);
}

function spread(mask: Raster, size: number, before: number, step: number, length: number): Raster {
  const made = emptyRaster(mask.batch, mask.height, mask.width, 1);
  for (let at = 0; at < mask.data.length; at++) {
    if (mask.data[at] === 0) continue;
    const place = Math.floor(at / step) % length;
    // A pixel reaches those whose square begins `before` ahead of them.
    const [from, to] = [Math.max(0, place + before - size + 1), Math.min(length - 1, place + before)];
    for (let target = from; target <= to; target++) made.data[at + (target - place) * step] = 1;
  }
  return made;
}
