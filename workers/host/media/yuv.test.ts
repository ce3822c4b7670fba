import { expect, test } from 'vitest';
import { toI420 } from './yuv.ts';

test.each([
  [
    [255, 255, 255],
    [235, 128, 128],
  ],
  [
    [0, 0, 0],
    [16, 128, 128],
  ],
  [
    [255, 0, 0],
    [63, 102, 240],
  ],
  [
    [0, 255, 0],
    [173, 42, 26],
  ],
  [
    [0, 0, 255],
    [32, 240, 118],
  ],
])('converts the RGB color %j to the YUV color %j', (rgb, yuv) => {
  expect([...toI420(Uint8Array.from([...rgb, 0]), 1, 1)]).toEqual(yuv);
});

test.each([
  [8, 6],
  [7, 5],
  [1, 3],
])('places the planes of an image of %i x %i one after another', (width, height) => {
  const rgba = new Uint8Array(width * height * 4);
  for (let at = 0; at < rgba.length; at++) rgba[at] = ((at >> 2) * 5 + (at % 4) * 60) % 256;
  const planes = toI420(rgba, width, height);
  expect(planes.length).toBe(width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2));
  const luma = (at: number) =>
    16 + (219 / 255) * (0.2126 * rgba[at * 4]! + 0.7152 * rgba[at * 4 + 1]! + 0.0722 * rgba[at * 4 + 2]!);
  for (const at of [0, width - 1, width * height - 1]) expect(planes[at]).toBe(Math.round(luma(at)));
});
