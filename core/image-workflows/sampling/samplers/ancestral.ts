import type { SamplerRun } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { alphaOf } from '../model-sampling/half-log-snr.ts';
import { combine } from '../tensor-math.ts';

/**
 * An ancestral step goes down further than asked, to `down`, and adds noise `up` (Song et al., DDIM, 2021, equation 16; in
 * sigmas as Karras et al. write it).
 */
export function ancestral(from: number, to: number, eta: number): { down: number; up: number } {
  if (eta === 0) return { down: to, up: 0 };
  const up = Math.min(to, eta * Math.sqrt((to ** 2 * (from ** 2 - to ** 2)) / from ** 2));
  return { down: Math.sqrt(to ** 2 - up ** 2), up };
}

export interface StochasticStep {
  /** The level to solve to. */
  down: number;
  /** What makes of that a latent of the level asked for: both factors 0 and 1 when nothing is to be added. */
  renoise(x: FloatTensor): FloatTensor;
}

/** An ancestral step for either kind of model. In a flow the picture's share changes with the noise's, so it is scaled too. */
export function stochasticStep(
  run: SamplerRun,
  from: number,
  to: number,
  eta: number,
  noiseScale: number,
): StochasticStep {
  const { sampling } = run;
  if (!sampling.isFlow) {
    const { down, up } = ancestral(from, to, eta);
    const quiet = to === 0 || up === 0;
    return { down, renoise: (x) => (quiet ? x : combine([1, x], [noiseScale * up, run.noise()])) };
  }
  const down = to * (1 + (to / from - 1) * eta);
  const scale = alphaOf(sampling, to) / alphaOf(sampling, down);
  const up = Math.sqrt(Math.max(to ** 2 - (down * scale) ** 2, 0));
  const quiet = to === 0 || eta === 0;
  return { down, renoise: (x) => (quiet ? x : combine([scale, x], [noiseScale * up, run.noise()])) };
}

/** The step of Euler's method from `from` to `to`, written as a mixture with the clean latent. */
export const euler = (x: FloatTensor, denoised: FloatTensor, from: number, to: number): FloatTensor =>
  combine([to / from, x], [1 - to / from, denoised]);

/** dx/dsigma (Karras et al., EDM, 2022, equation 3). */
export const slope = (x: FloatTensor, denoised: FloatTensor, sigma: number): FloatTensor =>
  combine([1 / sigma, x], [-1 / sigma, denoised]);
