import type { SamplerRun } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { alphaOf } from '../model-sampling/half-log-snr.ts';
import { combine } from '../tensor-math.ts';

/**
 * An ancestral step solves to the level `down`, below `to`, and then adds noise of level `up`. Source: DDIM, Song et al.,
 * 2021, equation 16, in the sigmas of Karras et al.
 */
export function ancestral(from: number, to: number, eta: number): { sigmaDown: number; sigmaUp: number } {
  if (eta === 0) return { sigmaDown: to, sigmaUp: 0 };
  const sigmaUp = Math.min(to, eta * Math.sqrt((to ** 2 * (from ** 2 - to ** 2)) / from ** 2));
  return { sigmaDown: Math.sqrt(to ** 2 - sigmaUp ** 2), sigmaUp };
}

export interface StochasticStep {
  /** The sigma that the deterministic part of the step reaches (`sigma_down` of k-diffusion). */
  sigmaDown: number;
  /** Adds noise to the latent of sigma `sigmaDown`, so that it gets the sigma of the step's end. */
  renoise(x: FloatTensor): FloatTensor;
}

/** An ancestral step for both kinds of models. In a flow, the coefficient of the image changes too, so x is scaled. */
export function stochasticStep(
  run: SamplerRun,
  from: number,
  to: number,
  eta: number,
  noiseScale: number,
): StochasticStep {
  const { sampling } = run;
  if (!sampling.isFlow) {
    const { sigmaDown, sigmaUp } = ancestral(from, to, eta);
    const isNoiseless = to === 0 || sigmaUp === 0;
    return {
      sigmaDown,
      renoise: (x) => (isNoiseless ? x : combine([1, x], [noiseScale * sigmaUp, run.noise()])),
    };
  }
  const sigmaDown = to * (1 + (to / from - 1) * eta);
  const scale = alphaOf(sampling, to) / alphaOf(sampling, sigmaDown);
  const sigmaUp = Math.sqrt(Math.max(to ** 2 - (sigmaDown * scale) ** 2, 0));
  const isNoiseless = to === 0 || eta === 0;
  return {
    sigmaDown,
    renoise: (x) => (isNoiseless ? x : combine([scale, x], [noiseScale * sigmaUp, run.noise()])),
  };
}

/** An Euler step from `from` to `to`, as a mixture with the clean latent. */
export const eulerStep = (x: FloatTensor, denoised: FloatTensor, from: number, to: number): FloatTensor =>
  combine([to / from, x], [1 - to / from, denoised]);

/** dx/dsigma (Karras et al., EDM, 2022, equation 3). */
export const derivative = (x: FloatTensor, denoised: FloatTensor, sigma: number): FloatTensor =>
  combine([1 / sigma, x], [-1 / sigma, denoised]);
