import { expect, test } from 'vitest';
import { type OptimizerName, optimizer, type TrainedTensor } from './optimizers.ts';

// Three steps on the sum of squares, from torch's formulas in NumPy.
test.each<[OptimizerName, number, number]>([
  ['SGD', 0.512, -1.024],
  ['Adam', 0.70158627, -1.70062339],
  ['AdamW', 0.69891118, -1.69494451],
  ['RMSprop', 2.54431265e-12, -3.09687388e-1],
])('%s', (name, first, second) => {
  const step = optimizer(name, 0.1);
  const tensor: TrainedTensor = {
    shape: [2],
    values: Float32Array.of(1, -2),
    gradient: new Float32Array(2),
  };
  for (let count = 0; count < 3; count++) {
    for (const at of [0, 1]) tensor.gradient[at] = 2 * tensor.values[at]!;
    step([tensor]);
  }
  expect(tensor.values[0]).toBeCloseTo(first, 6);
  expect(tensor.values[1]).toBeCloseTo(second, 6);
});
