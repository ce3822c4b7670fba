import type { FloatTensor } from '../tensor-math.ts';

/** What a network's output says about the picture, and so how noise and picture mix. */
export interface Prediction {
  /** The network's input for a noisy latent. */
  input(sigma: number, x: FloatTensor): FloatTensor;
  /** The clean latent that the network's output stands for. */
  denoised(sigma: number, output: FloatTensor, x: FloatTensor): FloatTensor;
  /** A latent with noise of level `sigma`. `full`: the level is the highest of the schedule. */
  noised(sigma: number, noise: FloatTensor, latent: FloatTensor, full: boolean): FloatTensor;
  /** What a sampler's result of level `sigma` is as a latent. */
  finished(sigma: number, x: FloatTensor): FloatTensor;
  /** x = (1 - sigma) picture + sigma noise, instead of picture + sigma noise. */
  readonly isFlow: boolean;
}

/** Which noise levels a network knows, under which numbers. */
export interface NoiseLevels {
  /** Every level that it was trained on, or enough of them, from low to high. */
  readonly sigmas: Float32Array;
  readonly sigmaMin: number;
  readonly sigmaMax: number;
  /** What the network is told for a level, and back; between the trained ones too. */
  timestepOf(sigma: number): number;
  sigmaOf(timestep: number): number;
  /** The level at a share of the way from noise (0) to picture (1); above every level at 0, and 0 at 1. */
  sigmaAt(percent: number): number;
}

export type ModelSampling = Prediction & NoiseLevels;

/** Half the log of the signal-to-noise ratio: log(alpha / sigma), the time of exponential solvers. */
export function halfLogSnr({ isFlow }: Prediction, sigma: number): number {
  return isFlow ? Math.log((1 - sigma) / sigma) : -Math.log(sigma);
}

export function sigmaOfHalfLogSnr({ isFlow }: Prediction, lambda: number): number {
  return isFlow ? 1 / (1 + Math.exp(lambda)) : Math.exp(-lambda);
}

/** How much of the picture is in a noisy latent. */
export const alphaOf = ({ isFlow }: Prediction, sigma: number): number => (isFlow ? 1 - sigma : 1);
