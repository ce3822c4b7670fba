import { describe, expect, it } from 'vitest';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { latentConcatNodes } from './concat-and-cut.ts';
import type { LatentOperation } from './math.ts';

const run = async (name: string, values: Record<string, unknown>) =>
  (await latentConcatNodes.find((node) => node.name === name)!.run(values, {} as NodeContext)) as unknown[];
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
  ])('concatenates along %s', async (dim, expected) => {
    const result = await samplesOf('LatentConcat', { samples1: first, samples2: second, dim });
    expect([result.shape, [...result.data]]).toEqual([[1, 1, 2, 3], expected]);
  });
  it('concatenates along y and channels, and repeats a shorter batch', async () => {
    const pair = { samples1: counted(2, 1, 1, 2), samples2: { samples: full([1, 1, 1, 2], 9) } };
    const down = await samplesOf('LatentConcat', { ...pair, dim: 'y' });
    expect([down.shape, [...down.data]]).toEqual([
      [2, 1, 2, 2],
      [0, 1, 9, 9, 2, 3, 9, 9],
    ]);
    expect((await samplesOf('LatentConcat', { ...pair, dim: 't' })).shape).toEqual([2, 2, 1, 2]);
  });
  it('concatenates the frames of videos', async () => {
    const pair = { samples1: counted(2, 1, 1, 1, 2), samples2: { samples: full([1, 1, 2, 1, 2], 9) } };
    const longer = await samplesOf('LatentConcat', { ...pair, dim: 't' });
    expect([longer.shape, [...longer.data]]).toEqual([
      [2, 1, 3, 1, 2],
      [0, 1, 9, 9, 9, 9, 2, 3, 9, 9, 9, 9],
    ]);
  });
  it('refuses different sides', async () => {
    await expect(run('LatentConcat', { samples1: first, samples2: second, dim: 'y' })).rejects.toThrow(
      'cannot be concatenated: all sides but the joined one must agree',
    );
  });
});

describe('LatentCutToBatch', () => {
  const cut = (samples: Latent, dim: string, slice_size: number) =>
    samplesOf('LatentCutToBatch', { samples, dim, slice_size });
  it('makes each part of a video a latent, video by video, and leaves the rest out', async () => {
    const parts = await cut(counted(2, 1, 3, 1, 1), 't', 1);
    expect([parts.shape, [...parts.data]]).toEqual([
      [6, 1, 1, 1, 1],
      [0, 1, 2, 3, 4, 5],
    ]);
    const pairs = await cut(counted(2, 1, 3, 1, 1), 't', 2);
    expect([pairs.shape, [...pairs.data]]).toEqual([
      [2, 1, 2, 1, 1],
      [0, 1, 3, 4],
    ]);
  });
  it('cuts columns, and no more than there are', async () => {
    const parts = await cut(counted(1, 1, 2, 2), 'x', 1);
    expect([parts.shape, [...parts.data]]).toEqual([
      [2, 1, 2, 1],
      [0, 2, 1, 3],
    ]);
    expect((await cut(counted(1, 1, 2, 2), 'x', 9)).shape).toEqual([1, 1, 2, 2]);
  });
  it('leaves the channels of an image together', async () => {
    expect((await cut(counted(1, 4, 2, 2), 't', 1)).shape).toEqual([1, 4, 2, 2]);
  });
});

it.each([
  ['x', 1, 1, [1, 1, 2, 1], [1, 4]],
  ['x', -2, 5, [1, 1, 2, 2], [1, 2, 4, 5]],
  ['y', 5, 1, [1, 1, 1, 3], [3, 4, 5]],
  ['y', -9, 1, [1, 1, 1, 3], [0, 1, 2]],
])('LatentCut along %s from %s, %s cells', async (dim, index, amount, shape, expected) => {
  const result = await samplesOf('LatentCut', { samples: counted(1, 1, 2, 3), dim, index, amount });
  expect([result.shape, [...result.data]]).toEqual([shape, expected]);
});

it('LatentOperationSharpen keeps even latents, and strengthens edges', async () => {
  const values = { sharpen_radius: 1, sigma: 1, alpha: 0.5 };
  const [operation] = (await run('LatentOperationSharpen', values)) as [LatentOperation];
  for (const value of operation(full([1, 2, 4, 4], 0.7)).data) expect(value).toBeCloseTo(0.7, 5);
  // Two cells with direction (1, 0) next to two with (0, 1), of equal length.
  const edge: FloatTensor = { shape: [1, 2, 1, 4], data: Float32Array.of(1, 1, 0, 0, 0, 0, 1, 1) };
  const [, left, right] = operation(edge).data;
  expect(left).toBeGreaterThan(1.1);
  expect(right).toBeLessThan(-0.1);
});

describe('TrimVideoLatent', () => {
  it('removes the first frames', async () => {
    const result = await samplesOf('TrimVideoLatent', { samples: counted(1, 2, 3, 1, 2), trim_amount: 1 });
    expect([result.shape, [...result.data]]).toEqual([
      [1, 2, 2, 1, 2],
      [2, 3, 4, 5, 8, 9, 10, 11],
    ]);
  });
  it('outputs the latent unchanged for 0 frames, and refuses to remove all', async () => {
    const samples = counted(1, 1, 3, 1, 1);
    expect((await run('TrimVideoLatent', { samples, trim_amount: 0 }))[0]).toBe(samples);
    await expect(run('TrimVideoLatent', { samples, trim_amount: 3 })).rejects.toThrow(
      'trim_amount 3 leaves nothing of a latent of shape [1, 1, 3, 1, 1]: its third side has 3',
    );
  });
});
