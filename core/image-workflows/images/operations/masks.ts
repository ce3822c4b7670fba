import { emptyRaster, type Raster, repeatToBatch } from '../rasters.ts';
import { clamp01, roundHalfEven } from '../rounding.ts';

export const MASK_OPERATIONS = ['multiply', 'add', 'subtract', 'and', 'or', 'xor'] as const;
export type MaskOperation = (typeof MASK_OPERATIONS)[number];

const isSet = (value: number): boolean => roundHalfEven(value) !== 0;
const FORMULAS: Record<MaskOperation, (old: number, over: number) => number> = {
  multiply: (old, over) => old * over,
  add: (old, over) => old + over,
  subtract: (old, over) => old - over,
  and: (old, over) => Number(isSet(old) && isSet(over)),
  or: (old, over) => Number(isSet(old) || isSet(over)),
  xor: (old, over) => Number(isSet(old) !== isSet(over)),
};

/** Combines `source` into `destination` where they overlap, with its corner at (x, y). Clamps the result to 0..1. */
export function combineMasks(
  destination: Raster,
  source: Raster,
  x: number,
  y: number,
  operation: MaskOperation,
): Raster {
  const batch = Math.max(destination.batch, source.batch);
  const below = repeatToBatch(destination, batch);
  const over = repeatToBatch(source, batch);
  const result: Raster = { ...below, data: below.data.map(clamp01) };
  for (let index = 0; index < batch; index++)
    for (let row = 0; row < Math.min(over.height, below.height - y); row++)
      for (let column = 0; column < Math.min(over.width, below.width - x); column++) {
        const target = (index * below.height + y + row) * below.width + x + column;
        const value = over.data[(index * over.height + row) * over.width + column]!;
        result.data[target] = clamp01(FORMULAS[operation](below.data[target]!, value));
      }
  return result;
}

/** Fades a mask out towards each side over a number of pixels n: the outermost pixel keeps 1/n. */
export function featherMask(
  mask: Raster,
  sides: { left: number; top: number; right: number; bottom: number },
): Raster {
  const { height, width } = mask;
  const across = ramp(width, sides.left, sides.right);
  const down = ramp(height, sides.top, sides.bottom);
  const result = emptyRaster(mask.batch, height, width, 1);
  for (let at = 0; at < result.data.length; at++)
    result.data[at] = mask.data[at]! * across[at % width]! * down[Math.floor(at / width) % height]!;
  return result;
}

/** Weights of a line that rise over the first `start` pixels and fall over the last `end` pixels. */
function ramp(size: number, start: number, end: number): Float64Array {
  const weights = new Float64Array(size).fill(1);
  const first = Math.min(start, size);
  const last = Math.min(end, size);
  for (let at = 0; at < first; at++) weights[at] = weights[at]! * ((at + 1) / first);
  for (let at = 0; at < last; at++) weights[size - 1 - at] = weights[size - 1 - at]! * ((at + 1) / last);
  return weights;
}

/** 1 where the pixel, rounded to bytes, has exactly the color 0xRRGGBB. */
export function maskOfColor(image: Raster, color: number): Raster {
  const result = emptyRaster(image.batch, image.height, image.width, 1);
  const bytes = [(color >> 16) & 255, (color >> 8) & 255, color & 255];
  for (let pixel = 0; pixel < result.data.length; pixel++)
    result.data[pixel] = Number(
      bytes.every((byte, channel) => {
        const value = image.data[pixel * image.channels + Math.min(channel, image.channels - 1)]!;
        return roundHalfEven(Math.fround(clamp01(value) * 255)) === byte;
      }),
    );
  return result;
}
