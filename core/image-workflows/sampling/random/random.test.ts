import { describe, expect, test } from 'vitest';
import { seededNoise } from '../initial-noise.ts';
import { BrownianTree } from './brownian-tree.ts';
import { MersenneTwister } from './mersenne-twister.ts';
import { seedSequence } from './seed-sequence.ts';
import { TorchGenerator } from './torch-generator.ts';

const rounded = (data: Iterable<number>) => Array.from(data, (value) => Number(value.toFixed(4)));

test('the ten thousandth word of the Mersenne Twister is the published one', () => {
  const twister = new MersenneTwister(5489);
  for (let i = 0; i < 9999; i++) twister.word();
  expect(twister.word()).toBe(4123659995);
});

describe('noise equals that of torch', () => {
  test('for 16 numbers and more', () => {
    const { data } = seededNoise(0n, [1, 4, 8, 8]);
    expect(rounded(data.slice(0, 4))).toEqual([-1.1258, -1.1524, -0.2506, -0.4339]);
  });
  test('with an incomplete last block', () => {
    expect(rounded(seededNoise(1n, [17]).data.slice(0, 3))).toEqual([-1.5256, -1.1608, 0.6995]);
  });
  test('for fewer than 16 numbers', () => {
    expect(rounded(seededNoise(1n, [5]).data.slice(0, 3))).toEqual([0.6614, 0.2669, 0.0617]);
  });
  test('for the low 32 bits of a seed', () => {
    const shape = [1, 4, 2, 2];
    expect(seededNoise(2n ** 32n + 5n, shape)).toEqual(seededNoise(5n, shape));
    expect(seededNoise(2n ** 64n - 1n, shape)).toEqual(seededNoise(2n ** 32n - 1n, shape));
  });
  test('for images of a batch that are drawn one after another', () => {
    const all = seededNoise(7n, [4, 4, 2, 2], [0, 1, 2, 3]).data;
    const some = seededNoise(7n, [2, 4, 2, 2], [3, 1]).data;
    expect([...some]).toEqual([...all.slice(48), ...all.slice(16, 32)]);
    expect(rounded(some.slice(0, 2))).toEqual([-0.1782, -0.2595]);
  });
});

test('uniform numbers and orders equal those of torch', () => {
  const generator = new TorchGenerator(0n);
  expect(rounded([1, 2, 3].map(() => generator.uniform()))).toEqual([0.4963, 0.7682, 0.0885]);
  expect(new TorchGenerator(0n).permutation(10)).toEqual([4, 1, 7, 5, 3, 9, 0, 8, 6, 2]);
});

test('seed sequences equal those of NumPy', () => {
  expect([...seedSequence(0n, [], 4, 4)]).toEqual([2968811710, 3677149159, 745650761, 2884920346]);
  expect([...seedSequence(12345678901234567890n, [3, 1], 8, 2)]).toEqual([994881209, 374662602]);
});

describe('a Brownian tree', () => {
  const tree = () => new BrownianTree(5n, [1, 4, 2, 2], 0.03, 14.6);
  test('returns the same increments in any order of calls', () => {
    const queried = tree();
    queried.increment(3, 4);
    queried.increment(0.5, 9);
    expect(queried.increment(1, 2)).toEqual(tree().increment(1, 2));
  });
  test('returns increments that add up', () => {
    const sum = tree().increment(1, 5).data;
    const [left, right] = [tree().increment(1, 2.345678).data, tree().increment(2.345678, 5).data];
    for (let i = 0; i < sum.length; i++) expect(left[i]! + right[i]!).toBeCloseTo(sum[i]!, 5);
  });
  test('has increments whose variance is the length of the interval', () => {
    const { data } = new BrownianTree(1n, [100, 100], 0, 10).increment(2, 6);
    const variance = data.reduce((sum, value) => sum + value * value, 0) / data.length;
    expect(variance).toBeGreaterThan(3.8);
    expect(variance).toBeLessThan(4.2);
  });
});
