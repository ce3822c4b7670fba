import { expect, it } from 'vitest';
import { runToEnd } from '../../yielding/steps.ts';
import type { Raster } from '../rasters.ts';
import { medianCut } from './median-cut.ts';
import { type Dither, quantize } from './quantize.ts';

const rgb = Uint8Array.from(
  { length: 60 },
  (_, at) =>
    [(13 * (at - (at % 3))) / 3, (11 * (at - (at % 3))) / 3, 255 - 4 * (at - (at % 3))][at % 3]! % 256,
);
const PALETTE = [
  [215, 182, 57],
  [143, 121, 123],
  [52, 44, 207],
];
const image: Raster = {
  batch: 1,
  height: 4,
  width: 5,
  channels: 3,
  data: Float32Array.from(rgb, (byte) => byte / 255),
};
const indexes = (raster: Raster) =>
  Array.from({ length: 20 }, (_, pixel) => {
    const color = [...raster.data.subarray(pixel * 3, pixel * 3 + 3)].map((value) => Math.round(value * 255));
    return PALETTE.findIndex((entry) => entry.join() === color.join());
  });

it('computes the palette of Pillow 11.3', () => {
  expect(medianCut(rgb, 3)).toEqual(PALETTE);
  expect(medianCut(Uint8Array.of(1, 2, 3, 1, 2, 3), 9)).toEqual([[1, 2, 3]]);
});

it.each<[Dither, number[]]>([
  ['none', [2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]],
  ['floyd-steinberg', [2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0]],
])('selects the colors of Pillow 11.3: %s', (dither, expected) => {
  expect(indexes(runToEnd(quantize(image, 3, dither)))).toEqual(expected);
});

it('uses colors of the palette alone with ordered dithering', () => {
  for (const dither of ['bayer-2', 'bayer-4', 'bayer-8', 'bayer-16'] as const)
    expect(indexes(runToEnd(quantize(image, 3, dither)))).not.toContain(-1);
  expect(() => runToEnd(quantize(image, 3, 'bayer-3' as Dither))).toThrow(/bayer-16/);
});
