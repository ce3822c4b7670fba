import type { Sampler, Stochastic } from '../../values/sampler.ts';
import { alphaOf } from '../model-sampling/half-log-snr.ts';
import { combine } from '../tensor-math.ts';
import { ancestral, derivative, eulerStep, stochasticStep } from './ancestral.ts';

/** Algorithm 2 of Karras et al. (EDM), 2022, without churn and without the second-order correction. */
export const euler = (): Sampler => async (x, run) => {
  for (let i = 0; i + 1 < run.sigmas.length; i++) {
    const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
    const denoised = await run.denoise(x, from);
    await run.step(i, x, denoised);
    x = eulerStep(x, denoised, from, to);
  }
  return x;
};

/** Euler's method with ancestral steps. */
export const eulerAncestral =
  ({ eta = 1, noiseScale = 1 }: Stochastic = {}): Sampler =>
  async (x, run) => {
    for (let i = 0; i + 1 < run.sigmas.length; i++) {
      const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
      const denoised = await run.denoise(x, from);
      await run.step(i, x, denoised);
      const { sigmaDown, renoise } = stochasticStep(run, from, to, eta, noiseScale);
      x = renoise(eulerStep(x, denoised, from, sigmaDown));
    }
    return x;
  };

/**
 * CFG++ (Chung et al., "CFG++: manifold-constrained classifier free guidance for diffusion models", 2024, algorithm 1).
 * The next latent is the guided clean latent with the noise of the unguided prediction. `eta` 0 is its Euler form.
 */
export const eulerAncestralGuided =
  ({ eta = 1, noiseScale = 1 }: Stochastic = {}): Sampler =>
  async (x, run) => {
    for (let i = 0; i + 1 < run.sigmas.length; i++) {
      const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
      const { denoised, uncond } = await run.denoiseBoth(x, from);
      await run.step(i, x, denoised);
      if (to === 0) {
        x = denoised;
        continue;
      }
      const [alphaFrom, alphaTo] = [alphaOf(run.sampling, from), alphaOf(run.sampling, to)];
      const noise = derivative(x, combine([alphaFrom, uncond]), from);
      // At level 1 of a flow, the coefficient of the image is 0, and the relative level would be infinite.
      const { sigmaDown, sigmaUp } = ancestral(from / Math.max(alphaFrom, 1e-4), to / alphaTo, eta);
      x = combine([alphaTo, denoised], [alphaTo * sigmaDown, noise]);
      if (sigmaUp > 0) x = combine([1, x], [alphaTo * sigmaUp * noiseScale, run.noise()]);
    }
    return x;
  };

/** The alternative Euler step of CFG++, in which only the direction is unguided. */
export const eulerGuidedAlternative = (): Sampler => async (x, run) => {
  for (let i = 0; i + 1 < run.sigmas.length; i++) {
    const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
    const { denoised, uncond } = await run.denoiseBoth(x, from);
    await run.step(i, x, denoised);
    x = combine([1, x], [1, denoised], [-1, uncond], [to - from, derivative(x, uncond, from)]);
  }
  return x;
};
