import { expect, test } from 'vitest';
import { coresOf, halvesOfCores } from './cores.mjs';

test('the numbers of cores in the list of Linux', () => {
  expect(coresOf('0-2,5')).toEqual([0, 1, 2, 5]);
  expect(coresOf('7')).toEqual([7]);
});

test('two halves have no core in common', () => {
  const [first = [], second = []] = halvesOfCores()?.map(coresOf) ?? [];
  expect(first.filter((core) => second.includes(core))).toEqual([]);
});
