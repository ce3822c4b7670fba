/** The parts that sampling is put together from. Their mathematics lives in `sampling/`. */
import type { FloatTensor } from './tensor.ts';
import type { Conditioning, Latent } from './types.ts';

/** Draws the noise that a latent starts from, shaped as its samples. */
export interface NoiseSource {
  /** 64 bits unsigned; the CPU generator looks at the low 32. */
  readonly seed: bigint;
  generate(latent: Latent): FloatTensor;
}

/** What a model predicts at one noise level, with its guidance: x -> denoised x, in the same shape. */
export type Denoiser = (x: FloatTensor, sigma: number) => Promise<FloatTensor>;

export interface SamplerStep {
  /** Counted from 0. */
  step: number;
  total: number;
  x: FloatTensor;
  denoised: FloatTensor;
}

export interface SamplerRun {
  denoise: Denoiser;
  /** The same model without guidance (the unconditional half), for samplers that need both. */
  denoiseBoth?: (x: FloatTensor, sigma: number) => Promise<{ denoised: FloatTensor; uncond: FloatTensor }>;
  sigmas: FloatTensor;
  /** Already noised. */
  x: FloatTensor;
  seed: bigint;
  model: ModelSampling;
  /** Awaited after every step: progress, previews, interrupts (throws then). */
  onStep(step: SamplerStep): Promise<void>;
}

export interface SamplerFunction {
  readonly name: string;
  sample(run: SamplerRun): Promise<FloatTensor>;
}

/** How a model counts noise. */
export interface ModelSampling {
  readonly kind: 'eps' | 'v_prediction' | 'flow' | 'x0' | 'lcm' | 'img_to_img';
  /** Rising, one a training step (1,000). */
  readonly sigmas: Float32Array;
  readonly sigmaMin: number;
  readonly sigmaMax: number;
  /** The model's time input for a noise level. */
  timestep(sigma: number): number;
  sigma(timestep: number): number;
  percentToSigma(percent: number): number;
  /** Flow models mix latent and noise; others add it. `atMax`: the run starts at the highest level. */
  noiseScaling(sigma: number, noise: FloatTensor, latent: FloatTensor, atMax: boolean): FloatTensor;
  inverseNoiseScaling(sigma: number, latent: FloatTensor): FloatTensor;
}

/** A model with what nodes have set on it; nodes copy, never change. */
export interface ModelPatch {
  readonly sampling: ModelSampling;
  readonly latent: { channels: number; scaleFactor: number; shiftFactor: number };
  /** The raw network's denoised answer to one entry's batch: x is in the sampler's units, latents scaled. */
  predict(
    x: FloatTensor,
    sigma: number,
    conditioning: { tensor: FloatTensor; options: Record<string, unknown> },
    signal: AbortSignal,
  ): Promise<FloatTensor>;
  withSampling(sampling: ModelSampling): ModelPatch;
}

/** A model with its conditioning: what turns noise into a picture, step by step. */
export interface Guider {
  readonly model: ModelPatch;
  readonly conditioning: { positive: Conditioning; negative?: Conditioning };
  readonly cfg: number;
  denoiser(latent: Latent, seed: bigint, signal: AbortSignal): Denoiser;
}
