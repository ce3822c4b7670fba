import { describe, expect, it } from 'vitest';
import type { Raster } from '../rasters.ts';
import { type ResizeMethod, resize } from './resize.ts';

const picture = (width: number, values: number[], channels = 1): Raster => ({
  batch: 1,
  height: values.length / width / channels,
  width,
  channels,
  data: Float32Array.from(values),
});
const close = (raster: Raster, values: number[]) => {
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
    // Keys' weights at three quarters: -0.10546875, 0.87890625 of one side, 0.26171875, -0.03515625 of the other
    ['bicubic', [0, 1], 4, [-0.105469, 0.226563, 0.773438, 1.105469]],
    ['bicubic', [5, 5, 5], 7, [5, 5, 5, 5, 5, 5, 5]],
  ])('%s: %j to %i', (method, from, to, expected) => {
    close(resize(picture(from.length, from), to, 1, method), expected);
    // and the same downwards
    close(resize(picture(1, from), 1, to, method), expected);
  });

  it('lanczos gives the bytes of Pillow 11.3', () => {
    const grey = picture(
      4,
      [0, 10, 200, 255, 30, 90, 120, 60].map((byte) => byte / 255),
    );
    expect([...resize(grey, 3, 5, 'lanczos').data].map((value) => Math.round(value * 255))).toEqual([
      0, 100, 255, 4, 103, 239, 21, 108, 166, 37, 112, 93, 49, 115, 41,
    ]);
    const hidden = picture(2, [1, 0, 0, 0, 0, 0, 1, 1], 4);
    expect([...resize(hidden, 4, 1, 'lanczos').data].map((value) => Math.round(value * 255))).toEqual([
      0, 0, 0, 0, 0, 0, 255, 59, 0, 0, 255, 196, 0, 0, 255, 255,
    ]);
  });

  it('bislerp turns instead of shortening', () => {
    const made = resize(picture(2, [1, 0, 0, 1], 2), 4, 1, 'bislerp');
    expect(made.data[0]).toBe(1);
    expect(Math.hypot(made.data[2]!, made.data[3]!)).toBeCloseTo(1, 6);
    expect(Math.atan2(made.data[3]!, made.data[2]!)).toBeCloseTo(Math.PI / 8, 6);
    // opposite directions have no arc between them
    close(resize(picture(2, [1, 0, -1, 0], 2), 4, 1, 'bislerp'), [1, 0, 0.5, 0, -0.5, 0, -1, 0]);
  });

  it('trims both sides alike before it scales', () => {
    close(resize(picture(5, [1, 2, 3, 4, 5]), 1, 1, 'nearest-exact', 'center'), [3]);
    // half a pixel a side rounds to the even number: 0 of them
    expect(resize(picture(2, [1, 2]), 1, 1, 'area', 'center').data[0]).toBe(1.5);
  });

  it('refuses what cannot be', () => {
    expect(() => resize(picture(1, [1]), 0, 4, 'bilinear')).toThrow(/at least one pixel/);
    expect(() => resize(picture(1, [1]), 4, 4, 'spline' as ResizeMethod)).toThrow(/'spline'.*lanczos/);
    expect(() => resize(picture(1, [1]), 2 ** 20, 2 ** 20, 'nearest-exact')).toThrow(RangeError);
  });
});
