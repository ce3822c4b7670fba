import { integral, lagrange } from './quadrature.ts';

/** The range of the VP SDE, with EDM's conversion from sigma to its time (Karras et al., 2022, table 1 and appendix C.1). */
const [EPSILON, SIGMA_MIN, SIGMA_MAX] = [1e-3, 0.002, 80];
const BETA_D = (2 * (Math.log(SIGMA_MIN ** 2 + 1) / EPSILON - Math.log(SIGMA_MAX ** 2 + 1))) / (EPSILON - 1);
const BETA_MIN = Math.log(SIGMA_MAX ** 2 + 1) - 0.5 * BETA_D;

/** sigma(t) = sqrt(exp(beta_d t^2 / 2 + beta_min t) - 1), and back. */
const timeOf = (sigma: number): number =>
  (Math.sqrt(BETA_MIN ** 2 + 2 * BETA_D * Math.log(sigma ** 2 + 1)) - BETA_MIN) / BETA_D;
const sigmaOf = (time: number): number => Math.sqrt(Math.expm1(0.5 * BETA_D * time ** 2 + BETA_MIN * time));
const slopeOf = (time: number): number => {
  const sigma = sigmaOf(time);
  return ((sigma ** 2 + 1) * (BETA_D * time + BETA_MIN)) / (2 * sigma);
};

/**
 * The weights of the slopes at `levels`, newest first, for the step from the first level to `to`. They are the integrals
 * over sigma of the Lagrange polynomials in the SDE's time.
 */
export function deisWeights(levels: readonly number[], to: number): number[] {
  const times = levels.map(timeOf);
  const end = timeOf(to);
  return times.map((_, k) =>
    integral((time) => lagrange(times, k, time) * slopeOf(time), times[0]!, end, 16),
  );
}
