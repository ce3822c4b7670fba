/** How a network was trained: what its output means, and which noise levels it knows. */
import type { FloatTensor } from './tensor.ts';

/** The meaning of a network's output, which also decides how noise and image mix. */
export interface Prediction {
  /** The network's input for a noisy latent `x`. */
  input(sigma: number, x: FloatTensor): FloatTensor;
  /** The clean latent that an output stands for. */
  denoised(sigma: number, output: FloatTensor, x: FloatTensor): FloatTensor;
  /** A clean latent with noise of level `sigma`. `full`: it is the highest level of the schedule. */
  noised(sigma: number, noise: FloatTensor, latent: FloatTensor, full: boolean): FloatTensor;
  /** The latent that a sampler's result of level `sigma` stands for. */
  finished(sigma: number, x: FloatTensor): FloatTensor;
  /** True: x = (1 - sigma) image + sigma noise. False: x = image + sigma noise. */
  readonly isFlow: boolean;
}

/** The noise levels (sigmas) of a network, and the timesteps by which it knows them. */
export interface NoiseLevels {
  /** The levels of the training, or enough of them for a table, in ascending order. */
  readonly sigmas: Float32Array;
  readonly sigmaMin: number;
  readonly sigmaMax: number;
  /** The network's timestep input for a level, also between trained levels. */
  timestepOf(sigma: number): number;
  sigmaOf(timestep: number): number;
  /** The level at a share of the way from noise (0) to image (1): above every level at 0, and 0 at 1. */
  sigmaAt(percent: number): number;
}

export type ModelSampling = Prediction & NoiseLevels;
