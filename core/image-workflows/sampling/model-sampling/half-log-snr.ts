import type { Prediction } from '../../values/noise-levels.ts';

/** Half the log of the signal-to-noise ratio: log(alpha / sigma), the time of exponential solvers. */
export function halfLogSnr({ isFlow }: Prediction, sigma: number): number {
  return isFlow ? Math.log((1 - sigma) / sigma) : -Math.log(sigma);
}

export function sigmaOfHalfLogSnr({ isFlow }: Prediction, lambda: number): number {
  return isFlow ? 1 / (1 + Math.exp(lambda)) : Math.exp(-lambda);
}

/** How much of the picture is in a noisy latent. */
export const alphaOf = ({ isFlow }: Prediction, sigma: number): number => (isFlow ? 1 - sigma : 1);
