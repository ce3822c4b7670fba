import { expect, test } from 'vitest';
import { runYielding } from '../../yielding/steps.ts';
import { roundHalfEven } from '../rounding.ts';
import { resizeAntialiased } from './antialiased.ts';

/** Computed by torch 2.15: `interpolate(x, size=(8, 9), mode='bicubic', antialias=True)`, times 2^24. */
const LARGER_ROW = [-567153, 1245440, 3794886, 5361672, 6970538, 8593433, 10216327, 12054016, 13216544];

const data = Float32Array.from({ length: 30 }, (_, index) => ((index * 37 + 11) % 256) / 255);
const image = { batch: 1, height: 5, width: 6, channels: 1, data };

// Vision encoders round pixels to 256 levels: the last digit decides about the level.
test('larger images have the same digits as in torch', async () => {
  const { data: pixels } = await runYielding(resizeAntialiased(image, 9, 8), new AbortController().signal);
  const digits = [...pixels.slice(0, 9)].map((value) => roundHalfEven(value * 2 ** 24));
  expect(digits).toEqual(LARGER_ROW);
});
