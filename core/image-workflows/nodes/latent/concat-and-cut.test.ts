import { describe, expect, it } from 'vitest';
import { sampleAnalytically } from '#test/support/image-workflows/analytic-sampling.ts';
import { lcmUpscale } from '../../sampling/samplers/lcm-upscale.ts';
import { optimalSteps } from '../../sampling/schedules/optimized-steps.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { latentPartNodes } from './concat-and-cut.ts';
import type { LatentOperation } from './math.ts';

const run = async (name: string, values: Record<string, unknown>) =>
  (await latentPartNodes.find((one) => one.name === name)!.run(values, {} as NodeContext)) as unknown[];
const counted = (...shape: number[]): Latent => {
  const samples = zeros(shape);
  samples.data.forEach((_, i) => {
    samples.data[i] = i;
  });
  return { samples };
};
const samplesOf = async (name: string, values: Record<string, unknown>): Promise<FloatTensor> =>
  ((await run(name, values))[0] as Latent).samples;

describe('LatentConcat', () => {
  const [first, second] = [counted(1, 1, 2, 2), { samples: full([1, 1, 2, 1], 9) }];
  it.each([
    ['x', [0, 1, 9, 2, 3, 9]],
    ['-x', [9, 0, 1, 9, 2, 3]],
  ])('along %s', async (dim, expected) => {
    const made = await samplesOf('LatentConcat', { samples1: first, samples2: second, dim });
    expect([made.shape, [...made.data]]).toEqual([[1, 1, 2, 3], expected]);
  });
  it('along y and channels, with a shorter batch repeated', async () => {
    const pair = { samples1: counted(2, 1, 1, 2), samples2: { samples: full([1, 1, 1, 2], 9) } };
    const down = await samplesOf('LatentConcat', { ...pair, dim: 'y' });
    expect([down.shape, [...down.data]]).toEqual([
      [2, 1, 2, 2],
      [0, 1, 9, 9, 2, 3, 9, 9],
    ]);
    expect((await samplesOf('LatentConcat', { ...pair, dim: 't' })).shape).toEqual([2, 2, 1, 2]);
  });
  it('refuses sides that differ', async () => {
    await expect(run('LatentConcat', { samples1: first, samples2: second, dim: 'y' })).rejects.toThrow(
      'cannot be concatenated: all sides but the joined one must agree',
    );
  });
});

it.each([
  ['x', 1, 1, [1, 1, 2, 1], [1, 4]],
  ['x', -2, 5, [1, 1, 2, 2], [1, 2, 4, 5]],
  ['y', 5, 1, [1, 1, 1, 3], [3, 4, 5]],
  ['y', -9, 1, [1, 1, 1, 3], [0, 1, 2]],
])('LatentCut along %s from %s, %s cells', async (dim, index, amount, shape, expected) => {
  const made = await samplesOf('LatentCut', { samples: counted(1, 1, 2, 3), dim, index, amount });
  expect([made.shape, [...made.data]]).toEqual([shape, expected]);
});

it('LatentOperationSharpen leaves even latents as they are, and strengthens edges', async () => {
  const values = { sharpen_radius: 1, sigma: 1, alpha: 0.5 };
  const [operation] = (await run('LatentOperationSharpen', values)) as [LatentOperation];
  for (const value of operation(full([1, 2, 4, 4], 0.7)).data) expect(value).toBeCloseTo(0.7, 5);
  // Directions (1, 0) and (0, 1) side by side, of equal length.
  const edge: FloatTensor = { shape: [1, 2, 1, 4], data: Float32Array.of(1, 1, 0, 0, 0, 0, 1, 1) };
  const [, left, right] = operation(edge).data;
  expect(left).toBeGreaterThan(1.1);
  expect(right).toBeLessThan(-0.1);
});

describe('levels of optimal steps', () => {
  it('are the published ones, ending at nothing', () => {
    const levels = optimalSteps('FLUX', 10, 1);
    expect([levels.length, levels[0], levels.at(-1)]).toEqual([11, Math.fround(0.9968), 0]);
  });
  it('for other numbers lie between them; a share takes the last part', () => {
    const levels = optimalSteps('Wan', 10, 1);
    expect(levels).toHaveLength(11);
    expect(levels[5]).toBeCloseTo(0.973, 5);
    expect([...optimalSteps('Wan', 10, 0.3)]).toEqual([...levels.slice(-4)]);
    expect(optimalSteps('Chroma', 10, 0)).toHaveLength(0);
  });
});

it('sampling that grows ends in its size', async () => {
  const sigmas = Float32Array.of(10, 5, 2, 0.5, 0);
  const grown = (steps?: number) =>
    sampleAnalytically(
      lcmUpscale({ ratio: 1.5, method: 'bilinear', ...(steps !== undefined && { steps }) }),
      sigmas,
      5n,
      [1, 4, 4, 8],
    );
  expect((await grown()).end.shape).toEqual([1, 4, 6, 12]);
  expect((await grown(4)).end.shape).toEqual([1, 4, 6, 12]);
  expect((await grown(0)).end.shape).toEqual([1, 4, 4, 8]);
  expect((await grown()).runs).toBe(4);
});

describe('TrimVideoLatent', () => {
  it('leaves out the first frames', async () => {
    const made = await samplesOf('TrimVideoLatent', { samples: counted(1, 2, 3, 1, 2), trim_amount: 1 });
    expect([made.shape, [...made.data]]).toEqual([
      [1, 2, 2, 1, 2],
      [2, 3, 4, 5, 8, 9, 10, 11],
    ]);
  });
  it('hands on what is not trimmed, and leaves something', async () => {
    const samples = counted(1, 1, 3, 1, 1);
    expect((await run('TrimVideoLatent', { samples, trim_amount: 0 }))[0]).toBe(samples);
    await expect(run('TrimVideoLatent', { samples, trim_amount: 3 })).rejects.toThrow(
      'trim_amount 3 leaves nothing of a latent of shape [1, 1, 3, 1, 1]: its third side has 3',
    );
  });
});
