import { expect, it, vi } from 'vitest';
import { memoizeLast } from './memoize-last.ts';

it('computes again for another argument only', () => {
  const compute = vi.fn((list: number[] | undefined) => list?.length);
  const length = memoizeLast(compute);
  const list = [1, 2];
  expect([length(list), length(list), length(undefined), length(undefined), length(list)]).toEqual([
    2,
    2,
    undefined,
    undefined,
    2,
  ]);
  expect(compute).toHaveBeenCalledTimes(3);
});
