import { expect, it } from 'vitest';
import { shortestFloat32 } from './shortest-float32.ts';

it.each([
  [Math.fround(0.1), 0.1],
  [Math.fround(0.00001), 0.00001],
  [Math.fround(1 / 3), 0.33333334],
  [Math.fround(16777217.5), 16777218],
  [Math.fround(0.123456789), 0.12345679],
  [Math.fround(-1.5e-40), -1.5e-40],
  [2 ** -149, 1e-45],
  [2 ** -126, 1.1754944e-38],
  [3, 3],
  [0.1, 0.1],
  [0.1234567890123, 0.1234567890123],
])('%d is written as %d', (value, shortest) => {
  expect(shortestFloat32(value)).toBe(shortest);
  expect(Math.fround(shortestFloat32(value))).toBe(Math.fround(value));
});

it.each([Number.NaN, Number.POSITIVE_INFINITY])('%d stays', (value) =>
  expect(shortestFloat32(value)).toBe(value),
);
