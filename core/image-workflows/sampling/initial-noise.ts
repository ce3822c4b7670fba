import type { NoiseSource } from '../values/latent.ts';
import { type FloatTensor, zeros } from '../values/tensor.ts';
import { TorchGenerator } from './random/torch-generator.ts';

/**
 * The initial noise of a seed in this shape, drawn for the whole batch at once. With `batchIndex`, noise is drawn image
 * by image, and the images with these indices are selected.
 */
export function seededNoise(
  seed: bigint,
  shape: readonly number[],
  batchIndex?: readonly number[],
): FloatTensor {
  const generator = new TorchGenerator(seed);
  if (!batchIndex) return generator.normal(shape);
  const imageShape = shape.slice(1);
  const drawn: FloatTensor[] = [];
  const noise = zeros([batchIndex.length, ...imageShape]);
  for (const [position, index] of batchIndex.entries()) {
    while (drawn.length <= index) drawn.push(generator.normal([1, ...imageShape]));
    noise.data.set(drawn[index]!.data, position * drawn[index]!.data.length);
  }
  return noise;
}

export const seededNoiseSource = (seed: bigint): NoiseSource => ({
  seed,
  generate: ({ samples, batchIndex }) => seededNoise(seed, samples.shape, batchIndex),
});

/** Adds no noise: for a latent that already contains its noise. */
export const zeroNoiseSource: NoiseSource = { seed: 0n, generate: ({ samples }) => zeros(samples.shape) };
