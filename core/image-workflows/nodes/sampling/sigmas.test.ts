import { expect, test } from 'vitest';
import type { FloatTensor } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

test('noise levels are split, reversed and extended', async () => {
  const sigmas = { shape: [4], data: Float32Array.of(8, 4, 2, 0) };
  const data = async (name: string, values: object) => {
    const type = nodeTypes.find((each) => each.name === name)!;
    const results = (await type.run({ sigmas, ...values }, {} as NodeContext)) as FloatTensor[];
    return results.map((levels) => [...levels.data]);
  };
  expect(await data('SplitSigmas', { step: 1 })).toEqual([
    [8, 4],
    [4, 2, 0],
  ]);
  expect(await data('SplitSigmasDenoise', { denoise: 0.34 })).toEqual([
    [8, 4, 2],
    [2, 0],
  ]);
  expect(await data('FlipSigmas', {})).toEqual([[Math.fround(0.0001), 2, 4, 8]]);
  expect(await data('SetFirstSigma', { sigma: 9 })).toEqual([[9, 4, 2, 0]]);
  expect(await data('ManualSigmas', { sigmas: '1.0, .5 -2;1e-1' })).toEqual([[1, 0.5, -2, Math.fround(0.1)]]);
  expect(await data('ManualSigmas', { sigmas: 'none' })).toEqual([[]]);
  const extended = { steps: 2, start_at_sigma: -1, end_at_sigma: 3, spacing: 'linear' };
  expect(await data('ExtendIntermediateSigmas', extended)).toEqual([[8, 6, 4, 3, 2, 0]]);
});
