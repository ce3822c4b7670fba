import { expect, it } from 'vitest';
import { imageAndMask, toPixels } from './pixels.ts';
import { roundHalfEven, toByte } from './rounding.ts';

it('separates RGBA frames into colors and transparency', () => {
  const frame = (...data: number[]) => ({
    width: 2,
    height: 1,
    channels: 4 as const,
    data: Uint8Array.from(data),
  });
  const frames = [frame(255, 0, 51, 255, 0, 0, 0, 0), frame(0, 255, 0, 51, 0, 0, 0, 255)];
  const { image, mask } = imageAndMask(frames);
  expect([image.batch, image.height, image.width, image.channels]).toEqual([2, 1, 2, 3]);
  expect([...image.data.subarray(0, 3)]).toEqual([1, 0, Math.fround(0.2)]);
  expect([...mask.data]).toEqual([0, 1, Math.fround(0.8), 0]);
});

it('returns an empty mask of 64 x 64 for frames without alpha', () => {
  const { mask } = imageAndMask([{ width: 1, height: 1, channels: 3, data: Uint8Array.of(1, 2, 3) }]);
  expect([mask.batch, mask.height, mask.width]).toEqual([1, 64, 64]);
  expect(mask.data.every((value) => value === 0)).toBe(true);
});

it('writes a single channel as gray, and refuses two channels', () => {
  const raster = (channels: number, ...data: number[]) => ({
    batch: 1,
    height: 1,
    width: data.length / channels,
    channels,
    data: Float32Array.from(data),
  });
  expect(toPixels(raster(1, 0.2, 1), 0)).toMatchObject({ width: 2, channels: 3 });
  expect([...toPixels(raster(1, 0.2, 1), 0).data]).toEqual([51, 51, 51, 255, 255, 255]);
  expect([...toPixels(raster(4, 0, 0.5, 1, 2), 0).data]).toEqual([0, 127, 255, 255]);
  expect(() => toPixels(raster(2, 0, 0), 0)).toThrow('an image has 1, 3 or 4 channels, not 2');
});

it.each([
  [-0.1, 0],
  [0.999, 254],
  // 51.9 / 255 is 51 as a byte: the fraction is cut off.
  [51.9 / 255, 51],
  [1.5, 255],
  [Number.NaN, 0],
])('converts the channel %f to the byte %i', (value, byte) => {
  expect(toByte(value)).toBe(byte);
});

it('rounds halves to the even integer', () => {
  expect([-1.5, -0.5, 0.5, 1.5, 2.5, 2.51].map(roundHalfEven)).toEqual([-2, 0, 0, 2, 2, 3]);
});
