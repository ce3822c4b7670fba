import { expect, it } from 'vitest';
import { interleaved, median, pairedRatio, percentile, regressionSlope } from './statistics.ts';

it('finds medians and percentiles of unsorted values', () => {
  expect(median([9, 1, 5])).toBe(5);
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(values, 0.99)).toBeGreaterThanOrEqual(99);
  expect(percentile(values, 0)).toBe(1);
});

it('alternates both sides and their order', async () => {
  const calls: string[] = [];
  const side = (name: string) => async () => {
    calls.push(name);
    return calls.length;
  };
  const { a, b } = await interleaved(4, side('a'), side('b'));
  expect(calls.join('')).toBe('abbaabba');
  expect([a, b]).toEqual([
    [1, 4, 5, 8],
    [2, 3, 6, 7],
  ]);
});

it('compares neighbors, so that a slow moment of both sides does not matter', () => {
  expect(pairedRatio([2, 20, 2], [1, 10, 1])).toBe(2);
});

it('fits a line by least squares', () => {
  expect(regressionSlope([0, 1, 2, 3], [5, 7, 9, 11])).toBeCloseTo(2);
  expect(regressionSlope([0, 1, 2], [4, 4, 4])).toBeCloseTo(0);
});
