import type { Prediction } from '../../values/noise-levels.ts';

/** lambda = log(alpha / sigma), half the log of the signal-to-noise ratio. Exponential integrators use it as their time. */
export function halfLogSnr({ isFlow }: Prediction, sigma: number): number {
  return isFlow ? Math.log((1 - sigma) / sigma) : -Math.log(sigma);
}

export function sigmaOfHalfLogSnr({ isFlow }: Prediction, lambda: number): number {
  return isFlow ? 1 / (1 + Math.exp(lambda)) : Math.exp(-lambda);
}

/** The coefficient of the image in a noisy latent. */
export const alphaOf = ({ isFlow }: Prediction, sigma: number): number => (isFlow ? 1 - sigma : 1);
