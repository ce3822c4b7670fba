/**
 * Noise augmentation: noise on an image that conditions a network, so that the result may differ from the image. Source:
 * Ho et al., "Cascaded diffusion models for high fidelity image generation", 2021, section 4.2.
 */
import { type BetaSchedule, sigmasOfBetas } from '../../sampling/model-sampling/discrete.ts';
import type { FloatTensor } from '../../values/tensor.ts';

/** sqrt(abar) values + sqrt(1 - abar) noise, at one of the levels of a schedule. */
export type AddNoise = (values: FloatTensor, noise: FloatTensor, level: number) => FloatTensor;

export function noiseAdder(betas: BetaSchedule): AddNoise {
  const sigmas = sigmasOfBetas(betas);
  return ({ shape, data }, noise, level) => {
    const sigma = sigmas[Math.min(level, sigmas.length - 1)]!;
    const scale = 1 / Math.sqrt(sigma * sigma + 1);
    return { shape, data: data.map((value, at) => scale * (value + sigma * noise.data[at]!)) };
  };
}

/** The sinusoidal embedding of a level (Vaswani et al., "Attention is all you need", 2017, section 3.5). */
export function levelEmbedding(level: number, width: number): Float32Array {
  const half = Math.floor(width / 2);
  const embedding = new Float32Array(width);
  for (let i = 0; i < half; i++) {
    const angle = Math.fround(level * Math.fround(Math.exp((-Math.log(10000) * i) / half)));
    embedding[i] = Math.cos(angle);
    embedding[half + i] = Math.sin(angle);
  }
  return embedding;
}
