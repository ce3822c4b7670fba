import type { ModelSampling } from '../../values/noise-levels.ts';
import type { SamplerRun } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { alphaOf, halfLogSnr } from '../model-sampling/half-log-snr.ts';
import { combine } from '../tensor-math.ts';

/**
 * The coefficients of a step of an exponential integrator in lambda = log(alpha / sigma). It solves the linear part of the
 * diffusion equation exactly. Source: Lu et al., "DPM-Solver++", 2022, proposition 4.1. With noise it is equation 12 of
 * the revised paper: `eta` 1 is the reverse SDE, 0 the ODE.
 */
export interface ExponentialStep {
  /** lambda(to) - lambda(from). */
  h: number;
  /** h (1 + eta). */
  hEta: number;
  /** alpha at `to`. */
  alpha: number;
  /** The coefficients of x, of a constant clean latent, and of new noise. */
  keep: number;
  gain: number;
  noise: number;
}

export function exponentialStep(
  sampling: ModelSampling,
  from: number,
  to: number,
  eta: number,
): ExponentialStep {
  const alpha = alphaOf(sampling, to);
  const h = halfLogSnr(sampling, to) - halfLogSnr(sampling, from);
  const hEta = h * (1 + eta);
  return {
    h,
    hEta,
    alpha,
    keep: (to / from) * Math.exp(-h * eta),
    gain: -alpha * Math.expm1(-hEta),
    noise: to * Math.sqrt(-Math.expm1(-2 * h * eta)),
  };
}

/** (e^-z - 1) / z + 1: the coefficient of the clean latent's slope in a step of length z. */
export const phi2 = (z: number): number => Math.expm1(-z) / z + 1;

/** Adds noise of the run's Brownian motion. */
export function withBrownian(
  x: FloatTensor,
  factor: number,
  run: SamplerRun,
  from: number,
  to: number,
): FloatTensor {
  return factor > 0 ? combine([1, x], [factor, run.brownian(from, to)]) : x;
}

/** The run's levels. At the first level of a flow, 1, lambda is infinite, so solvers in lambda start slightly below. */
export function boundedLevels({ sigmas, sampling }: SamplerRun): Float32Array {
  if (!sampling.isFlow || sigmas[0]! < 1) return sigmas;
  const bounded = sigmas.slice();
  bounded[0] = sampling.sigmaAt(1e-4);
  return bounded;
}

/**
 * Runs a solver in lambda from level to level. The last step to sigma 0, where lambda is infinite, returns the clean
 * latent.
 *
 * @param advance computes x at `to` from x and its clean latent at `from`.
 */
export async function stepInLambda(
  x: FloatTensor,
  run: SamplerRun,
  advance: (
    x: FloatTensor,
    denoised: FloatTensor,
    from: number,
    to: number,
  ) => FloatTensor | Promise<FloatTensor>,
): Promise<FloatTensor> {
  const sigmas = boundedLevels(run);
  for (let i = 0; i + 1 < sigmas.length; i++) {
    const [from, to] = [sigmas[i]!, sigmas[i + 1]!];
    const denoised = await run.denoise(x, from);
    await run.step(i, x, denoised);
    x = to === 0 ? denoised : await advance(x, denoised, from, to);
  }
  return x;
}
