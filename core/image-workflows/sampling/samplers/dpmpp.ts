import type { Sampler, Stochastic } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { halfLogSnr, sigmaOfHalfLogSnr } from '../model-sampling/half-log-snr.ts';
import { combine } from '../tensor-math.ts';
import { ancestral, derivative, eulerStep, stochasticStep } from './ancestral.ts';

/** DPM-Solver++(2S) (Lu et al., "DPM-Solver++", 2022, algorithm 1) with midpoints in lambda and ancestral steps. */
export const dpmpp2sAncestral =
  ({ eta = 1, noiseScale = 1 }: Stochastic = {}): Sampler =>
  async (x, run) => {
    const { sigmas, sampling } = run;
    for (let i = 0; i + 1 < sigmas.length; i++) {
      const [from, to] = [sigmas[i]!, sigmas[i + 1]!];
      const denoised = await run.denoise(x, from);
      await run.step(i, x, denoised);
      const { sigmaDown, renoise } = stochasticStep(run, from, to, eta, noiseScale);
      if (sigmaDown === 0) {
        x = eulerStep(x, denoised, from, 0);
        continue;
      }
      const middle = between(from, sigmaDown);
      const half = eulerStep(x, denoised, from, middle);
      const middleDenoised = await run.denoise(half, middle);
      x = renoise(eulerStep(x, middleDenoised, from, sigmaDown));
    }
    return x;

    function between(from: number, to: number): number {
      // A flow starts at level 1, where lambda is infinite.
      if (sampling.isFlow && from === 1) return 0.9999;
      const lambda = (halfLogSnr(sampling, from) + halfLogSnr(sampling, to)) / 2;
      return Math.fround(sigmaOfHalfLogSnr(sampling, lambda));
    }
  };

/** DPM-Solver++(2S) with the renoising of CFG++ (Chung et al., 2024). For flows, too, lambda is -log sigma. */
export const dpmpp2sAncestralGuided =
  ({ eta = 1, noiseScale = 1 }: Stochastic = {}): Sampler =>
  async (x, run) => {
    const { sigmas } = run;
    for (let i = 0; i + 1 < sigmas.length; i++) {
      const [from, to] = [sigmas[i]!, sigmas[i + 1]!];
      const { denoised, uncond } = await run.denoiseBoth(x, from);
      await run.step(i, x, denoised);
      const { sigmaDown, sigmaUp } = ancestral(from, to, eta);
      if (sigmaDown === 0) {
        x = denoised;
        continue;
      }
      const middle = Math.fround(Math.sqrt(from * sigmaDown));
      const part = middle / from;
      const half = combine([part, x], [1, denoised], [-part, uncond]);
      const atMiddle = await run.denoiseBoth(half, middle);
      const keep = sigmaDown / from;
      x = combine([keep, x], [keep, denoised], [-keep, atMiddle.uncond], [1 - keep, atMiddle.denoised]);
      if (sigmaUp > 0) x = combine([1, x], [sigmaUp * noiseScale, run.noise()]);
    }
    return x;
  };

/** DPM-Solver++(2M) (Lu et al., 2022, algorithm 2). For flows, too, lambda is -log sigma. */
export const dpmpp2m = (): Sampler => async (x, run) => {
  const { sigmas } = run;
  let old: FloatTensor | undefined;
  for (let i = 0; i + 1 < sigmas.length; i++) {
    const [from, to] = [sigmas[i]!, sigmas[i + 1]!];
    const denoised = await run.denoise(x, from);
    await run.step(i, x, denoised);
    const keep = to / from;
    if (!old || to === 0) x = combine([keep, x], [1 - keep, denoised]);
    else {
      const ahead = ((1 - keep) * Math.log(from / to)) / (2 * Math.log(sigmas[i - 1]! / from));
      x = combine([keep, x], [1 - keep + ahead, denoised], [-ahead, old]);
    }
    old = denoised;
  }
  return x;
};

/** DPM-Solver++(2M) with the renoising of CFG++: the noise is the difference of x and the unguided clean latent. */
export const dpmpp2mGuided = (): Sampler => async (x, run) => {
  const { sigmas } = run;
  let old: FloatTensor | undefined;
  for (let i = 0; i + 1 < sigmas.length; i++) {
    const [from, to] = [sigmas[i]!, sigmas[i + 1]!];
    const { denoised, uncond } = await run.denoiseBoth(x, from);
    await run.step(i, x, denoised);
    const decay = to / from;
    if (!old || to === 0) x = combine([1, denoised], [-decay, uncond], [decay, x]);
    else {
      const ahead = ((1 - decay) * Math.log(from / to)) / (2 * Math.log(sigmas[i - 1]! / from));
      x = combine([1 + ahead, denoised], [-decay, uncond], [-ahead, old], [decay, x]);
    }
    old = uncond;
  }
  return x;
};

/**
 * Gradient estimation (Permenter and Yuan, "Interpreting and improving diffusion models from an optimization perspective",
 * 2024, algorithm 2). The direction is extrapolated from the last one by the factor gamma.
 */
export const gradientEstimation =
  ({ gamma = 2, guided = false } = {}): Sampler =>
  async (x, run) => {
    let old: FloatTensor | undefined;
    for (let i = 0; i + 1 < run.sigmas.length; i++) {
      const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
      const { denoised, uncond } = guided
        ? await run.denoiseBoth(x, from)
        : { denoised: await run.denoise(x, from), uncond: undefined };
      await run.step(i, x, denoised);
      const direction = derivative(x, uncond ?? denoised, from);
      if (to === 0) x = denoised;
      else {
        x = uncond ? combine([1, denoised], [to, direction]) : combine([1, x], [to - from, direction]);
        const change = (gamma - 1) * (to - from);
        if (old) x = combine([1, x], [change, direction], [-change, old]);
      }
      old = direction;
    }
    return x;
  };
