import type { Sampler, Stochastic } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';
import { ancestral, derivative } from './ancestral.ts';

/**
 * RES in its second-order multistep form, in lambda = -log sigma. Source: Zhang et al., "Improved order analysis and design
 * of exponential integrator for diffusion models sampling", 2023, section 4. With `eta` above 0, steps are ancestral.
 * `guided` selects CFG++.
 */
export const resMultistep =
  ({ eta = 0, noiseScale = 1, guided = false }: Stochastic & { guided?: boolean } = {}): Sampler =>
  async (x, run) => {
    const { sigmas } = run;
    let old: { base: FloatTensor; sigmaDown: number } | undefined;
    for (let i = 0; i + 1 < sigmas.length; i++) {
      const [from, to] = [sigmas[i]!, sigmas[i + 1]!];
      const { denoised, uncond } = guided
        ? await run.denoiseBoth(x, from)
        : { denoised: await run.denoise(x, from), uncond: undefined };
      await run.step(i, x, denoised);
      const base = uncond ?? denoised;
      const { sigmaDown, sigmaUp } = ancestral(from, to, eta);
      if (sigmaDown === 0 || !old) {
        const direction = derivative(x, base, from);
        x = uncond
          ? combine([1, denoised], [sigmaDown, direction])
          : combine([1, x], [sigmaDown - from, direction]);
      } else {
        const h = Math.log(from / sigmaDown);
        const c2 = Math.log(old.sigmaDown / sigmas[i - 1]!) / h;
        const first = Math.expm1(-h) / -h;
        const second = (first - 1) / -h;
        const [b1, b2] = [finite(first - second / c2), finite(second / c2)];
        const start = uncond ? combine([1, x], [1, denoised], [-1, uncond]) : x;
        x = combine([Math.exp(-h), start], [h * b1, base], [h * b2, old.base]);
      }
      if (to > 0 && sigmaUp > 0) x = combine([1, x], [sigmaUp * noiseScale, run.noise()]);
      old = { base, sigmaDown };
    }
    return x;
  };

/** Two equal levels make c2 0 and the coefficient NaN, which then counts as 0. */
const finite = (value: number): number => (Number.isNaN(value) ? 0 : value);
