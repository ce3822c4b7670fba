import { expect, test } from 'vitest';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import { full, zeros } from '../../values/tensor.ts';
import type { UnclipHint } from '../../values/vision.ts';
import { unclipPooled } from './unclip.ts';

const hint = (width: number): UnclipHint => ({
  visionOutput: {
    imageEmbeds: full([1, width], 2),
    lastHiddenState: zeros([1, 1, width]),
    penultimateHiddenState: undefined,
  },
  strength: 0.5,
  noiseAugmentation: 0,
});
const run = { shape: [1, 4, 8, 8], seed: 30n };

test('SDXL takes an image embedding in place of the pooled text embedding', () => {
  const { pooled, classLabels } = unclipPooled({ unclip: [hint(16)], pooled: zeros([1, 16]) }, run);
  expect([pooled!.shape, classLabels]).toEqual([[1, 16], undefined]);
  // Without noise augmentation, the embedding still has the noise of the lowest level.
  const noise = new TorchGenerator(20n).normal([1, 16]).data;
  const beta = 4.1e-5;
  for (const [i, value] of pooled!.data.entries())
    expect(value).toBeCloseTo(0.5 * (2 * Math.sqrt(1 - beta) + noise[i]! * Math.sqrt(beta)), 3);
  expect(unclipPooled({ pooled: zeros([1, 16]) }, run)).toEqual({});
  expect(() => unclipPooled({ unclip: [hint(12)], pooled: zeros([1, 16]) }, run)).toThrow('bigG');
  expect(() => unclipPooled({ unclip: [hint(12), hint(16)] }, run)).toThrow('encode all with the same one');
});
