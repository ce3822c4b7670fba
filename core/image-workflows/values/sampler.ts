/** Solvers of the diffusion equation, and what they work with. */
import type { ModelSampling } from './noise-levels.ts';
import type { FloatTensor } from './tensor.ts';

export interface Denoised {
  /** The clean latent after guidance. */
  denoised: FloatTensor;
  /** The clean latent for the negative or empty prompt. */
  uncond: FloatTensor;
}

/** Everything that a solver works with. */
export interface SamplerRun {
  /** In descending order, usually with 0 as the last. At least two. */
  readonly sigmas: Float32Array;
  readonly sampling: ModelSampling;
  /** Runs the model on `x` and returns the clean latent. Rejects with the signal's reason after an interrupt. */
  denoise(x: FloatTensor, sigma: number): Promise<FloatTensor>;
  /** Like `denoise`, but also returns the unguided part, which CFG++ needs. */
  denoiseBoth(x: FloatTensor, sigma: number): Promise<Denoised>;
  /** Called once per step with its first clean latent, for progress and previews. Rejects after an interrupt. */
  step(index: number, x: FloatTensor, denoised: FloatTensor): Promise<void>;
  /** Fresh Gaussian noise from a generator with the prompt's seed. Default shape: that of the latent. */
  noise(shape?: readonly number[]): FloatTensor;
  /** Noise of variance 1 between two levels, from the run's one Brownian motion. */
  brownian(from: number, to: number): FloatTensor;
}

/** Takes a latent with noise of the first level and resolves to one of the last level. Does not change `x`. */
export type Sampler = (x: FloatTensor, run: SamplerRun) => Promise<FloatTensor>;

/** `eta`: the share of a step's noise that is drawn anew; 0 is deterministic. `noiseScale` multiplies that noise. */
export interface Stochastic {
  eta?: number;
  noiseScale?: number;
}

/** A sampler as a value of type SAMPLER. */
export interface SamplerFunction {
  readonly name: string;
  readonly sampler: Sampler;
  /** Under a noise mask, the area outside of it gets noise of its own. */
  readonly ownMaskNoise?: boolean;
}
