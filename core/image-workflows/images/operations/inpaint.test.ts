import { describe, expect, test } from 'vitest';
import { emptyRaster, type Raster } from '../rasters.ts';
import { grayOut, growBinaryMask, trimToMultiple } from './inpaint.ts';

const raster = (width: number, values: number[], channels = 1): Raster => ({
  batch: 1,
  height: values.length / channels / width,
  width,
  channels,
  data: Float32Array.from(values),
});

describe('masks', () => {
  const dot = raster(7, [0, 0, 0, 1, 0, 0, 0]);
  const row = (mask: Raster) => [...mask.data].join('');
  test.each([
    [0, '0001000'],
    [1, '0001000'],
    [2, '0001100'],
    [3, '0011100'],
    [4, '0011110'],
  ])('grow by a square of %i', (size, expected) => expect(row(growBinaryMask(dot, size))).toBe(expected));
  test('grow in both directions, from values above 0.5', () => {
    const gray = raster(3, [0, 0, 0, 0, 0.6, 0, 0, 0, 0.5]);
    expect(row(growBinaryMask(gray, 3))).toBe('111111111');
    expect(row(growBinaryMask(raster(3, [0, 0, 0, 0, 0.5, 0, 0, 0, 0]), 3))).toBe('000000000');
  });
  test('gray the image out, and are cropped together with it', () => {
    const pixels = raster(2, [0, 1, 0, 1, 0, 1], 3);
    expect([...grayOut(pixels, raster(2, [0.4, 0.6])).data]).toEqual([0, 1, 0, 0.5, 0.5, 0.5]);
    const large = { ...emptyRaster(1, 17, 10, 3) };
    const parts = trimToMultiple(large, emptyRaster(1, 5, 5, 1, 1), 8);
    expect([parts.pixels.height, parts.pixels.width, parts.mask.height, parts.mask.width]).toEqual([
      16, 8, 16, 8,
    ]);
    expect(() => trimToMultiple(emptyRaster(1, 4, 4, 3), dot, 8)).toThrow('too small');
  });
});
