import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

test.each([
  [1, 500],
  [2, 1000],
  [6, 16_000],
  [7, 20_000],
  [2000, 20_000],
])('retry %i waits between half of %i ms and all of it', (attempt, max) => {
  const waits = Array.from({ length: 200 }, () => backoff(attempt));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(max / 2);
  expect(Math.max(...waits)).toBeLessThan(max);
});

test('clients that fail together do not retry together', () => {
  expect(new Set(Array.from({ length: 50 }, () => backoff(1))).size).toBeGreaterThan(40);
});
