import type { NoiseSource } from '../values/latent.ts';
import { type FloatTensor, zeros } from '../values/tensor.ts';
import { TorchGenerator } from './random/torch-generator.ts';

/**
 * The noise of a seed for samples of this shape, one draw for the whole batch. `batchIndex`: which pictures of a larger
 * batch these are; one picture after another is drawn then, and those kept.
 */
export function seededNoise(
  seed: bigint,
  shape: readonly number[],
  batchIndex?: readonly number[],
): FloatTensor {
  const generator = new TorchGenerator(seed);
  if (!batchIndex) return generator.normal(shape);
  const one = shape.slice(1);
  const drawn: FloatTensor[] = [];
  const noise = zeros([batchIndex.length, ...one]);
  for (const [place, index] of batchIndex.entries()) {
    while (drawn.length <= index) drawn.push(generator.normal([1, ...one]));
    noise.data.set(drawn[index]!.data, place * drawn[index]!.data.length);
  }
  return noise;
}

export const seededNoiseSource = (seed: bigint): NoiseSource => ({
  seed,
  generate: ({ samples, batchIndex }) => seededNoise(seed, samples.shape, batchIndex),
});

/** For going on with a latent that has its noise already. */
export const zeroNoiseSource: NoiseSource = { seed: 0n, generate: ({ samples }) => zeros(samples.shape) };
