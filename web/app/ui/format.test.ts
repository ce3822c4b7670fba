import { expect, it } from 'vitest';
import { bytes, duration, tokensPerSecond } from './format.ts';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [98_362_432, '98 MB'],
  [999_600_000, '1.0 GB'],
  [2_100_000_000, '2.1 GB'],
])('prints %d bytes as %s', (count, text) => expect(bytes(count)).toBe(text));

it.each([
  [0.2, '1 s'],
  [59, '59 s'],
  [90, '2 min'],
  [5400, '1.5 h'],
  [Number.POSITIVE_INFINITY, ''],
])('prints %d seconds as %j', (seconds, text) => expect(duration(seconds)).toBe(text));

it('prints tokens per second', () => {
  expect(tokensPerSecond(8, 294_285_000)).toBe('27 tokens/s');
  expect(tokensPerSecond(2, 1e9)).toBe('2.0 tokens/s');
  expect(tokensPerSecond(2, 0)).toBe('');
});
