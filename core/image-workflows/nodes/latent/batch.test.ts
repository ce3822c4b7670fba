import { describe, expect, it } from 'vitest';
import { seededNoise } from '../../sampling/initial-noise.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, tensorOf } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import type { LatentOperation } from './math.ts';

async function run<T = Latent>(name: string, values: Record<string, unknown>): Promise<T[]> {
  const type = nodeTypes.find((each) => each.name === name)!;
  return (await type.run(values, {} as NodeContext)) as T[];
}
/** Latents of one cell, with the channels of each entry. */
const latent = (...entries: number[][]): Latent => ({
  samples: tensorOf([entries.length, entries[0]!.length, 1, 1], Float32Array.from(entries.flat())),
});
const numbers = ({ samples }: Latent) => [...samples.data].map((value) => Number(value.toFixed(4)));

describe('batches of latents', () => {
  it('keep their noise when they are selected and distributed', async () => {
    const batch = { samples: seededNoise(1n, [3, 4, 2, 2]) };
    const [two] = await run('LatentFromBatch', { samples: batch, batch_index: 1, length: 9 });
    expect(two!.batchIndex).toEqual([1, 2]);
    const [batches] = await run<Latent[]>('RebatchLatents', { latents: [batch, two], batch_size: [2] });
    expect(batches!.map(({ samples, batchIndex }) => [samples.shape[0], batchIndex])).toEqual([
      [2, [0, 1]],
      [2, [2, 1]],
      [1, [2]],
    ]);
  });

  it('get new noise for each repetition', async () => {
    const samples = { ...latent([1], [2]), batchIndex: [4, 6] };
    const [repeated] = await run('RepeatLatentBatch', { samples, amount: 2 });
    expect(numbers(repeated!)).toEqual([1, 2, 1, 2]);
    expect(repeated!.batchIndex).toEqual([4, 6, 7, 9]);
  });

  it('are joined in the size of the first', async () => {
    const wide = { samples: tensorOf([1, 1, 1, 2], Float32Array.of(2, 4)) };
    const [joined] = await run('LatentBatch', { samples1: latent([1]), samples2: wide });
    expect(numbers(joined!)).toEqual([1, 3]);
    const values = { samples1: latent([1]), samples2: latent([1, 2]) };
    await expect(run('LatentBatch', values)).rejects.toThrow('different models: 1 and 2 channels');
  });
});

describe('arithmetic', () => {
  const [first, second] = [latent([3, 4]), latent([0, 10])];
  it.each([
    ['LatentAdd', { samples1: first, samples2: second }, [3, 14]],
    ['LatentSubtract', { samples1: first, samples2: second }, [3, -6]],
    ['LatentMultiply', { samples: first, multiplier: 0.5 }, [1.5, 2]],
    ['LatentInterpolate', { samples1: first, samples2: second, ratio: 1 }, [3, 4]],
    // Directions (0.6, 0.8) and (0, 1) give (0.3, 0.9), and lengths 5 and 10 give 7.5.
    ['LatentInterpolate', { samples1: first, samples2: second, ratio: 0.5 }, [2.3717, 7.1151]],
    ['LatentAdd', { samples1: latent([1], [2]), samples2: latent([10]) }, [11, 12]],
  ])('%s (%#)', async (name, values, expected) => {
    expect(numbers((await run(name, values))[0]!)).toEqual(expected);
  });

  it('tone mapping shortens long vectors more than short ones, and keeps directions', async () => {
    const [operation] = await run<LatentOperation>('LatentOperationTonemapReinhard', { multiplier: 1 });
    const samples: FloatTensor = tensorOf([1, 2, 1, 2], Float32Array.of(3, 0.3, 4, 0.4));
    const { data } = operation!(samples);
    const shares = [...data].map((value, at) => value / samples.data[at]!);
    expect(shares[0]).toBeCloseTo(shares[2]!, 6);
    expect(shares[1]).toBeCloseTo(shares[3]!, 6);
    expect(shares[0]!).toBeLessThan(shares[1]!);
  });
});
