import type { ModelSampling } from '../model-sampling/types.ts';
import type { FloatTensor } from '../tensor-math.ts';

export interface Denoised {
  /** The clean latent after guidance. */
  denoised: FloatTensor;
  /** The clean latent without the prompt. */
  uncond: FloatTensor;
}

/** Everything a solver works with. */
export interface SamplerRun {
  /** From high to low, mostly with a last 0; at least two. */
  readonly sigmas: Float32Array;
  readonly sampling: ModelSampling;
  /** Runs the model: the clean latent that it sees in `x`. Rejects with the signal's reason once the prompt is interrupted. */
  denoise(x: FloatTensor, sigma: number): Promise<FloatTensor>;
  /** The same, and the part without the prompt, for CFG++. */
  denoiseBoth(x: FloatTensor, sigma: number): Promise<Denoised>;
  /** To be awaited once a step, when its first clean latent is known: progress, previews, interrupts (then it rejects). */
  step(index: number, x: FloatTensor, denoised: FloatTensor): Promise<void>;
  /** Fresh gaussian noise, from a generator with the prompt's seed; in the shape of the run's latent if none is named. */
  noise(shape?: readonly number[]): FloatTensor;
  /** Noise of variance 1 of the one Brownian motion of this run, between two levels. */
  brownian(from: number, to: number): FloatTensor;
}

/** Takes noise of the first level, gives a latent of the last. `x` is not changed. */
export type Sampler = (x: FloatTensor, run: SamplerRun) => Promise<FloatTensor>;

/** How much of a step's noise is drawn anew (0 is deterministic), and how strong it is. */
export interface Stochastic {
  eta?: number;
  noiseScale?: number;
}
