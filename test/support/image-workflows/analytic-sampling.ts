/**
 * Runs solvers on a model whose answer is a formula: D(x, sigma) = x / (1 + sigma^2), or half of it without the prompt.
 */

import { seededNoise } from '#core/image-workflows/sampling/initial-noise.ts';
import {
  sigmasOfBetas,
  stableDiffusionBetas,
  tabulatedLevels,
} from '#core/image-workflows/sampling/model-sampling/discrete.ts';
import { noisePrediction } from '#core/image-workflows/sampling/model-sampling/prediction.ts';
import { samplerRun } from '#core/image-workflows/sampling/sampler-run.ts';
import { combine } from '#core/image-workflows/sampling/tensor-math.ts';
import type { ModelSampling } from '#core/image-workflows/values/noise-levels.ts';
import type { Sampler } from '#core/image-workflows/values/sampler.ts';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';

export const stableDiffusion: ModelSampling = {
  ...noisePrediction(),
  ...tabulatedLevels(sigmasOfBetas(stableDiffusionBetas)),
};

export async function sampleAnalytically(
  sampler: Sampler,
  sigmas: Float32Array,
  seed: bigint,
  shape: readonly number[],
  sampling = stableDiffusion,
): Promise<{ end: FloatTensor; steps: number[]; runs: number }> {
  const steps: number[] = [];
  let runs = 0;
  const denoise = async (x: FloatTensor, sigma: number): Promise<FloatTensor> => {
    runs++;
    const divisor = Math.fround(1 + Math.fround(sigma * sigma));
    return { shape: x.shape, data: x.data.map((value) => value / divisor) };
  };
  const run = samplerRun({
    sigmas,
    sampling,
    seed,
    shape,
    denoise,
    async denoiseBoth(x, sigma) {
      const denoised = await denoise(x, sigma);
      return { denoised, uncond: combine([0.5, denoised]) };
    },
    async step(index) {
      steps.push(index);
    },
  });
  const end = await sampler(combine([sigmas[0]!, seededNoise(seed, shape)]), run);
  return { end, steps, runs };
}
