import { expect, test } from 'vitest';
import { scaleLatent, unscaleLatent } from './latent-scaling.ts';

const samples = { shape: [2, 2, 1, 2], data: Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8]) };

test('one scale for all channels', () => {
  const format = { channels: 2, scaleFactor: 0.5, shiftFactor: 1 };
  expect([...scaleLatent(samples, format).data]).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]);
  expect(unscaleLatent(scaleLatent(samples, format), format)).toEqual(samples);
});

test('a mean and a deviation for each channel', () => {
  const statistics = { means: [1, 3], deviations: [1, 2] };
  const format = { channels: 2, scaleFactor: 1, shiftFactor: 0, statistics };
  expect([...scaleLatent(samples, format).data]).toEqual([0, 1, 0, 0.5, 4, 5, 2, 2.5]);
  expect(unscaleLatent(scaleLatent(samples, format), format)).toEqual(samples);
});
