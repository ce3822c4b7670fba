/** Noise on what a network is told of a picture, so that it is free to leave it (Ho et al., "Cascaded diffusion models for high fidelity image generation", 2021, section 4.2). */
import { type BetaSchedule, sigmasOfBetas } from '../../sampling/model-sampling/discrete.ts';
import type { FloatTensor } from '../../values/tensor.ts';

/** Values at a level of noise: sqrt(abar) values + sqrt(1 - abar) noise. */
export type AddNoise = (values: FloatTensor, noise: FloatTensor, level: number) => FloatTensor;

export function noiseAdder(betas: BetaSchedule): AddNoise {
  const sigmas = sigmasOfBetas(betas);
  return ({ shape, data }, noise, level) => {
    const sigma = sigmas[Math.min(level, sigmas.length - 1)]!;
    const kept = 1 / Math.sqrt(sigma * sigma + 1);
    return { shape, data: data.map((value, at) => kept * (value + sigma * noise.data[at]!)) };
  };
}

/** Cosines and sines of a level's number (Vaswani et al., "Attention is all you need", 2017, section 3.5), `width` of them. */
export function levelEmbedding(level: number, width: number): Float32Array {
  const half = Math.floor(width / 2);
  const made = new Float32Array(width);
  for (let i = 0; i < half; i++) {
    const angle = Math.fround(level * Math.fround(Math.exp((-Math.log(10000) * i) / half)));
    made[i] = Math.cos(angle);
    made[half + i] = Math.sin(angle);
  }
  return made;
}
