import { expect, test } from 'vitest';
import { float8Values } from './float8.ts';

test.each([
  ['F8_E4M3', 0x00, 0],
  ['F8_E4M3', 0x01, 2 ** -9],
  ['F8_E4M3', 0x07, 7 * 2 ** -9],
  ['F8_E4M3', 0x08, 2 ** -6],
  ['F8_E4M3', 0x38, 1],
  ['F8_E4M3', 0xb9, -1.125],
  ['F8_E4M3', 0x7e, 448],
  ['F8_E4M3', 0x7f, Number.NaN],
  ['F8_E4M3', 0xff, Number.NaN],
  ['F8_E5M2', 0x01, 2 ** -16],
  ['F8_E5M2', 0x04, 2 ** -14],
  ['F8_E5M2', 0x3c, 1],
  ['F8_E5M2', 0xbd, -1.25],
  ['F8_E5M2', 0x7b, 57344],
  ['F8_E5M2', 0x7c, Number.POSITIVE_INFINITY],
  ['F8_E5M2', 0xfc, Number.NEGATIVE_INFINITY],
  ['F8_E5M2', 0x7d, Number.NaN],
])('%s: byte %i is %d', (type, byte, value) => {
  // Zero has a sign: -0 equals 0 here.
  expect(float8Values(type)[byte]! + 0).toBe(value);
});
