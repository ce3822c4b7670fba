import { describe, expect, it } from 'vitest';
import type { Raster } from '../rasters.ts';
import { type ResizeMethod, resize } from './resize.ts';

const image = (width: number, values: number[], channels = 1): Raster => ({
  batch: 1,
  height: values.length / width / channels,
  width,
  channels,
  data: Float32Array.from(values),
});
const expectClose = (raster: Raster, values: number[]) => {
  expect([...raster.data].map((value) => Number(value.toFixed(6)))).toEqual(values);
};

describe('resizing', () => {
  it.each<[ResizeMethod, number[], number, number[]]>([
    ['nearest-exact', [1, 2, 3], 2, [1, 3]],
    ['nearest-exact', [1, 2, 3], 5, [1, 1, 2, 3, 3]],
    ['bilinear', [0, 1], 4, [0, 0.25, 0.75, 1]],
    ['bilinear', [0, 1, 2, 3], 2, [0.5, 2.5]],
    ['area', [1, 2, 3, 4], 2, [1.5, 3.5]],
    ['area', [1, 2, 3], 2, [1.5, 2.5]],
    ['area', [1, 2], 3, [1, 1.5, 2]],
    // Keys' weights at 0.75: -0.10546875 and 0.87890625 of one side, 0.26171875 and -0.03515625 of the other.
    ['bicubic', [0, 1], 4, [-0.105469, 0.226563, 0.773438, 1.105469]],
    ['bicubic', [5, 5, 5], 7, [5, 5, 5, 5, 5, 5, 5]],
  ])('%s: %j to %i samples', (method, from, to, expected) => {
    expectClose(resize(image(from.length, from), to, 1, method), expected);
    // Columns give the same results.
    expectClose(resize(image(1, from), 1, to, method), expected);
  });

  it('lanczos gives the bytes of Pillow 11.3', () => {
    const gray = image(
      4,
      [0, 10, 200, 255, 30, 90, 120, 60].map((byte) => byte / 255),
    );
    expect([...resize(gray, 3, 5, 'lanczos').data].map((value) => Math.round(value * 255))).toEqual([
      0, 100, 255, 4, 103, 239, 21, 108, 166, 37, 112, 93, 49, 115, 41,
    ]);
    const hidden = image(2, [1, 0, 0, 0, 0, 0, 1, 1], 4);
    expect([...resize(hidden, 4, 1, 'lanczos').data].map((value) => Math.round(value * 255))).toEqual([
      0, 0, 0, 0, 0, 0, 255, 59, 0, 0, 255, 196, 0, 0, 255, 255,
    ]);
  });

  it('bislerp rotates vectors and keeps their length', () => {
    const resized = resize(image(2, [1, 0, 0, 1], 2), 4, 1, 'bislerp');
    expect(resized.data[0]).toBe(1);
    expect(Math.hypot(resized.data[2]!, resized.data[3]!)).toBeCloseTo(1, 6);
    expect(Math.atan2(resized.data[3]!, resized.data[2]!)).toBeCloseTo(Math.PI / 8, 6);
    // There is no arc between opposite directions.
    expectClose(resize(image(2, [1, 0, -1, 0], 2), 4, 1, 'bislerp'), [1, 0, 0.5, 0, -0.5, 0, -1, 0]);
  });

  it('crops both sides by the same number of pixels before it scales', () => {
    expectClose(resize(image(5, [1, 2, 3, 4, 5]), 1, 1, 'nearest-exact', 'center'), [3]);
    // Half a pixel for each side rounds to 0.
    expect(resize(image(2, [1, 2]), 1, 1, 'area', 'center').data[0]).toBe(1.5);
  });

  it('refuses impossible sizes and unknown methods', () => {
    expect(() => resize(image(1, [1]), 0, 4, 'bilinear')).toThrow(/at least one pixel/);
    expect(() => resize(image(1, [1]), 4, 4, 'spline' as ResizeMethod)).toThrow(/'spline'.*lanczos/);
    expect(() => resize(image(1, [1]), 2 ** 20, 2 ** 20, 'nearest-exact')).toThrow(RangeError);
  });
});
