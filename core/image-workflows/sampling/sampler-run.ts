import type { ModelSampling } from '../values/noise-levels.ts';
import type { SamplerRun } from '../values/sampler.ts';
import type { FloatTensor } from '../values/tensor.ts';
import { BrownianTree } from './random/brownian-tree.ts';
import { TorchGenerator } from './random/torch-generator.ts';
import { combine } from './tensor-math.ts';

export interface RunParts extends Pick<SamplerRun, 'denoise' | 'denoiseBoth' | 'step'> {
  sigmas: Float32Array;
  sampling: ModelSampling;
  seed: bigint;
  shape: readonly number[];
}

/** The context of a solver. Its generator starts with the same seed as that of the initial noise. */
export function samplerRun({ seed, shape, ...parts }: RunParts): SamplerRun {
  let generator: TorchGenerator | undefined;
  let tree: BrownianTree | undefined;
  return {
    ...parts,
    noise(noiseShape = shape): FloatTensor {
      generator ??= new TorchGenerator(seed);
      return generator.normal(noiseShape);
    },
    brownian(from, to) {
      const levels = parts.sigmas.filter((sigma) => sigma > 0);
      tree ??= new BrownianTree(seed, shape, Math.min(...levels), Math.max(...levels));
      const [low, high] = [Math.min(from, to), Math.max(from, to)];
      return combine([(from < to ? 1 : -1) / Math.sqrt(high - low), tree.increment(low, high)]);
    },
  };
}
