import { expect, test } from 'vitest';
import type { Pooling } from '../base/sentence-config.ts';
import { pool } from './pooling.ts';

/** Two texts of up to three tokens with two numbers each. The padding of the first one must not count. */
const tokens = {
  data: Float32Array.of(3, 0, 1, 8, 99, 99, 1, 2, 5, 2, -3, 4),
  positions: 3,
  size: 2,
  lengths: [2, 3],
};
const unit = (...vector: number[]) => {
  const length = Math.hypot(...vector);
  return vector.map((x) => (x / length).toFixed(5));
};

test.each<[Pooling, number[], number[]]>([
  ['mean', [2, 4], [1, 8 / 3]],
  ['mean-sqrt', [2, 4], [1, 8 / 3]],
  ['cls', [3, 0], [1, 2]],
  ['last', [1, 8], [-3, 4]],
  ['max', [3, 8], [5, 4]],
])('%s', (pooling, first, second) => {
  const pooled = pool(tokens, pooling).map((vector) => [...vector].map((x) => x.toFixed(5)));
  expect(pooled).toEqual([unit(...first), unit(...second)]);
});

test('does not change the vectors of the tokens', () => {
  const data = Float32Array.from(tokens.data);
  for (const pooling of ['cls', 'last', 'mean'] as const) pool({ ...tokens, data }, pooling);
  expect(data).toEqual(tokens.data);
});
