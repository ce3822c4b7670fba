import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../yielding/steps.ts';
import type { Raster } from '../rasters.ts';
import { blend } from './blend.ts';
import { canny } from './canny.ts';
import { composite } from './composite.ts';
import { blur, sharpen } from './convolve.ts';
import { crop, flipHorizontally, flipVertically, mirrorToMultiple, rotate } from './geometry.ts';
import { combineMasks, featherMask, maskOfColor } from './masks.ts';
import { growMask, morphology } from './morphology.ts';
import { padForOutpaint } from './outpaint.ts';
import { type PorterDuffMode, porterDuff } from './porter-duff.ts';
import { stitch } from './stitch.ts';
import { fromYuv, toYuv } from './yuv.ts';

const gray = (width: number, ...values: number[]): Raster => ({
  batch: 1,
  height: values.length / width,
  width,
  channels: 1,
  data: Float32Array.from(values),
});
const color = (width: number, ...values: number[]): Raster => ({
  ...gray(width, ...values),
  height: values.length / width / 3,
  channels: 3,
});
const numbers = (raster: Raster) => [...raster.data].map((value) => Number(value.toFixed(5)));

describe('geometry', () => {
  const six = gray(3, 1, 2, 3, 4, 5, 6);
  it('crops, mirrors and rotates', () => {
    expect(numbers(crop(six, 1, 0, 9, 9))).toEqual([2, 3, 5, 6]);
    expect(() => crop(six, 3, 0, 1, 1)).toThrow(/start inside/);
    expect(numbers(flipVertically(six))).toEqual([4, 5, 6, 1, 2, 3]);
    expect(numbers(flipHorizontally(six))).toEqual([3, 2, 1, 6, 5, 4]);
    expect(numbers(rotate(six, 1))).toEqual([4, 1, 5, 2, 6, 3]);
    expect(rotate(six, 1)).toMatchObject({ width: 2, height: 3 });
    expect(numbers(rotate(six, 2))).toEqual([6, 5, 4, 3, 2, 1]);
    expect(numbers(rotate(six, 3))).toEqual(numbers(rotate(rotate(six, 1), 2)));
  });
  it('mirrors the pixels next to an edge, also more than once', () => {
    expect(mirrorToMultiple(six, 1)).toBe(six);
    expect(numbers(mirrorToMultiple(six, 2))).toEqual([1, 2, 3, 2, 4, 5, 6, 5]);
    const twice = { ...six, batch: 2, height: 1 };
    expect(numbers(mirrorToMultiple(twice, 2))).toEqual([1, 2, 3, 2, 1, 2, 3, 2, 4, 5, 6, 5, 4, 5, 6, 5]);
    expect(numbers(mirrorToMultiple(gray(2, 1, 2), 5)).slice(0, 5)).toEqual([1, 2, 1, 2, 1]);
    expect(numbers(mirrorToMultiple(gray(1, 7), 2))).toEqual([7, 7, 7, 7]);
  });

  it('pads for outpainting with a soft edge on the padded sides', () => {
    const padded = padForOutpaint(
      gray(3, 1, 1, 1, 1, 1, 1, 1, 1, 1),
      { left: 1, top: 0, right: 0, bottom: 0 },
      1,
    );
    expect(numbers(padded.image)).toEqual([0.5, 1, 1, 1, 0.5, 1, 1, 1, 0.5, 1, 1, 1]);
    expect(numbers(padded.mask)).toEqual([1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0]);
    // An image too small for the feathering gets a hard edge.
    expect(numbers(padForOutpaint(gray(1, 1), { left: 1, top: 0, right: 0, bottom: 0 }, 4).mask)).toEqual([
      1, 0,
    ]);
  });

  it('stitches with a gap and a background', () => {
    const small = color(1, 0.2, 0.2, 0.2);
    const tall = color(1, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4);
    const stitched = stitch(small, tall, { direction: 'left', matchSize: false, spacing: 1, color: 'red' });
    expect(stitched).toMatchObject({ width: 4, height: 3 });
    expect(numbers(stitched).slice(0, 12)).toEqual([0.4, 0.4, 0.4, 1, 0, 0, 1, 0, 0, 0, 0, 0]);
    expect(numbers(stitched).slice(21, 24)).toEqual([0.2, 0.2, 0.2]);
    expect(
      stitch(tall, small, { direction: 'down', matchSize: true, spacing: 0, color: 'white' }),
    ).toMatchObject({
      width: 1,
      height: 4,
    });
  });
});

describe('composites', () => {
  it('lays one image over another, cut at the edges, through a mask', () => {
    const below = gray(3, 0, 0, 0, 0, 0, 0);
    expect(numbers(composite(below, gray(2, 1, 2, 3, 4), 2, 1))).toEqual([0, 0, 0, 0, 0, 1]);
    expect(numbers(composite(below, gray(2, 1, 2, 3, 4), -1, 0))).toEqual([2, 0, 0, 4, 0, 0]);
    expect(numbers(composite(below, gray(2, 1, 2, 3, 4), 0, 0, { mask: gray(1, 0.5) }))).toEqual([
      0.5, 1, 0, 1.5, 2, 0,
    ]);
    expect(numbers(composite(below, gray(1, 7), 0, 0, { resizeSource: true }))).toEqual(Array(6).fill(7));
  });

  it.each([
    ['normal', 0.6],
    ['multiply', 0.24],
    ['screen', 0.76],
    ['overlay', 0.48],
    ['soft_light', 0.44649],
    ['difference', 0],
  ] as const)('blends %s', (mode, expected) => {
    expect(numbers(blend(gray(1, 0.4), gray(1, 0.6), 1, mode))).toEqual([expected]);
  });

  it('blends images that differ in size, channels and batch', () => {
    const blended = blend(
      color(2, 0, 0, 0, 0, 0, 0),
      { ...gray(1, 1, 1), batch: 2, height: 1 },
      0.5,
      'normal',
    );
    expect(blended).toMatchObject({ batch: 2, width: 2, height: 1, channels: 3 });
    expect(numbers(blended)).toEqual(Array(12).fill(0.5));
  });

  // One pixel: white with alpha 0.5 over black with alpha 0.75.
  it.each<[PorterDuffMode, number, number]>([
    ['ADD', 0.5, 1],
    ['CLEAR', 0, 0],
    ['DST', 0, 0.75],
    ['DST_ATOP', 0.25, 0.5],
    ['DST_IN', 0, 0.375],
    ['DST_OUT', 0, 0.375],
    ['DST_OVER', 0.14286, 0.875],
    ['MULTIPLY', 0, 0.375],
    ['SCREEN', 0.57143, 0.875],
    ['SRC', 1, 0.5],
    ['SRC_ATOP', 0.5, 0.75],
    ['SRC_IN', 1, 0.375],
    ['SRC_OUT', 1, 0.125],
    ['SRC_OVER', 0.57143, 0.875],
    ['XOR', 0.25, 0.5],
  ])('composites with %s', (mode, value, alpha) => {
    const composited = porterDuff(gray(1, 1), gray(1, 0.5), gray(1, 0), gray(1, 0.75), mode);
    expect([numbers(composited.image)[0], numbers(composited.alpha)[0]]).toEqual([value, alpha]);
  });
});

describe('masks', () => {
  it.each([
    ['multiply', [0.5, 0.06]],
    ['add', [0.5, 0.5]],
    ['subtract', [0.5, 0.1]],
    ['and', [0.5, 0]],
    ['or', [0.5, 0]],
    ['xor', [0.5, 0]],
  ] as const)('combine with %s', (operation, expected) => {
    expect(numbers(combineMasks(gray(2, 0.5, 0.3), gray(2, 0.2, 0.9), 1, 0, operation))).toEqual(expected);
  });

  it('round half to even, and stay within 0 and 1', () => {
    expect(numbers(combineMasks(gray(1, 0.5), gray(1, 0.51), 0, 0, 'or'))).toEqual([1]);
    expect(numbers(combineMasks(gray(1, 0.5), gray(1, 0.5), 0, 0, 'or'))).toEqual([0]);
    expect(numbers(combineMasks(gray(2, 0.9, 3), gray(1, 0.9), 0, 0, 'add'))).toEqual([1, 1]);
  });

  it('fade out towards each side', () => {
    const ones = gray(4, 1, 1, 1, 1);
    expect(numbers(featherMask(ones, { left: 2, top: 0, right: 0, bottom: 0 }))).toEqual([0.5, 1, 1, 1]);
    expect(numbers(featherMask(ones, { left: 0, top: 0, right: 2, bottom: 0 }))).toEqual([1, 1, 1, 0.5]);
    expect(numbers(featherMask(gray(1, 1, 1), { left: 0, top: 9, right: 0, bottom: 0 }))).toEqual([0.5, 1]);
  });

  it('select a color by its bytes', () => {
    expect(numbers(maskOfColor(color(2, 1, 0.5019, 0, 1, 0.51, 0), 0xff8000))).toEqual([1, 0]);
  });

  it('grow in a diamond or a square, and shrink', async () => {
    const dot = gray(3, 0, 0, 0, 0, 1, 0, 0, 0, 0);
    expect(numbers(runToEnd(growMask(dot, 1, true)))).toEqual([0, 1, 0, 1, 1, 1, 0, 1, 0]);
    expect(numbers(runToEnd(growMask(dot, 1, false)))).toEqual(Array(9).fill(1));
    expect(numbers(runToEnd(growMask(dot, 16384, true)))).toEqual(Array(9).fill(1));
    // The space outside of the mask does not shrink it.
    expect(numbers(runToEnd(growMask(gray(3, 1, 1, 0), -1, true)))).toEqual([1, 0, 0]);
  });
});

describe('filters', () => {
  it('blur with mirrored edges', () => {
    const weight = Math.exp(-0.5);
    const edge = (2 * weight) / (1 + 2 * weight);
    expect(runToEnd(blur(gray(2, 0, 1), 1, 1)).data[0]).toBeCloseTo(edge, 6);
    expect(numbers(runToEnd(blur(gray(1, 0.3), 31, 10)))).toEqual([0.3]);
    expect(numbers(runToEnd(sharpen(gray(3, 0.5, 0.5, 0.5), 2, 1, 5)))).toEqual([0.5, 0.5, 0.5]);
    expect(numbers(runToEnd(sharpen(gray(3, 0.2, 0.8, 0.2), 1, 1, 1)))).toEqual([0, 1, 0]);
  });

  it('dilate, erode, and combine both', () => {
    const line = gray(5, 0, 0, 1, 0.5, 0);
    expect(numbers(runToEnd(morphology(line, 'dilate', 3)))).toEqual([0, 1, 1, 1, 0.5]);
    expect(numbers(runToEnd(morphology(line, 'erode', 3)))).toEqual([0, 0, 0, 0, 0]);
    expect(numbers(runToEnd(morphology(line, 'gradient', 3)))).toEqual([0, 1, 1, 1, 0.5]);
    expect(numbers(runToEnd(morphology(line, 'open', 3)))).toEqual([0, 0, 0, 0, 0]);
    expect(numbers(runToEnd(morphology(line, 'close', 3)))).toEqual([0, 0, 1, 0.5, 0.5]);
    expect(numbers(runToEnd(morphology(line, 'top_hat', 3)))).toEqual(numbers(line));
    expect(numbers(runToEnd(morphology(line, 'bottom_hat', 3)))).toEqual([0, 0, 0, 0, 0.5]);
    expect(numbers(line)).toEqual([0, 0, 1, 0.5, 0]);
    expect(numbers(runToEnd(morphology(line, 'dilate', 999)))).toEqual(Array(5).fill(1));
  });

  it('detect the edge of a step, one pixel wide', () => {
    const size = 16;
    const step = gray(size, ...Array.from({ length: size * size }, (_, at) => Number(at % size >= 8)));
    const edges = runToEnd(canny(step, 0.2, 0.8));
    for (let row = 0; row < size; row++) {
      const marked = [...edges.data.subarray(row * size, (row + 1) * size)].flatMap((value, x) =>
        value ? [x] : [],
      );
      expect(marked.every((x) => x === 7 || x === 8)).toBe(true);
    }
    expect(
      runToEnd(canny(gray(4, ...Array(16).fill(0.5)), 0.1, 0.2)).data.every((value) => value === 0),
    ).toBe(true);
    // Weak edges count only next to a strong one.
    const faint = { ...step, data: step.data.map((value) => value * 0.1) };
    expect(runToEnd(canny(faint, 0.01, 0.8)).data.some((value) => value !== 0)).toBe(false);
  });

  it('convert to YUV and back', () => {
    const image = color(2, 0.1, 0.5, 0.9, 1, 1, 1);
    const [y, u, v] = toYuv(image);
    expect(numbers(y).slice(3, 6)).toEqual([1, 1, 1]);
    expect(numbers(u)[3]).toBe(0.5);
    const back = fromYuv(y, u, v);
    for (let at = 0; at < 6; at++) expect(back.data[at]).toBeCloseTo(image.data[at]!, 2);
  });
});
