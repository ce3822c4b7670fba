import { expect, it } from 'vitest';
import { valueAfterRun } from './after-run.ts';

const seed = { kind: 'integer', initial: 0, min: 0, max: 18446744073709551615n, step: 1 } as const;
const small = { ...seed, min: 5, max: 7 };

it('computes the next seed', () => {
  expect(valueAfterRun(3, 'fixed', seed)).toBe(3);
  expect(valueAfterRun(18446744073709551614n, 'increment', seed)).toBe(18446744073709551615n);
  expect(valueAfterRun(18446744073709551615n, 'increment', seed)).toBe(18446744073709551615n);
  expect(valueAfterRun(0, 'decrement', seed)).toBe(0);
  expect(valueAfterRun(1, 'randomize', seed, () => 0.999999999999)).toBeLessThan(2 ** 50);
  expect(new Set([0, 0.4, 0.99].map((at) => valueAfterRun(5, 'randomize', small, () => at)))).toEqual(
    new Set([5, 6, 7]),
  );
});
