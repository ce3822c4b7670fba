import type { Sampler } from '../../values/sampler.ts';
import { combine } from '../tensor-math.ts';
import { derivative } from './ancestral.ts';

/** DDPM (Ho et al., 2020, algorithm 2), with the posterior variance of equation 7. */
export const ddpm = (): Sampler => async (x, run) => {
  for (let i = 0; i + 1 < run.sigmas.length; i++) {
    const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
    const denoised = await run.denoise(x, from);
    await run.step(i, x, denoised);
    const noise = derivative(x, denoised, from);
    const [alphaBar, alphaBarNext] = [1 / (from ** 2 + 1), 1 / (to ** 2 + 1)];
    const alpha = alphaBar / alphaBarNext;
    const mean = Math.sqrt(1 / alpha);
    x = combine([mean * Math.sqrt(alphaBar), x], [(-mean * (1 - alpha)) / Math.sqrt(1 - alphaBar), noise]);
    if (to === 0) continue;
    const deviation = Math.sqrt(((1 - alpha) * (1 - alphaBarNext)) / (1 - alphaBar));
    x = combine([Math.sqrt(1 + to ** 2), x], [Math.sqrt(1 + to ** 2) * deviation, run.noise()]);
  }
  return x;
};

/** Multistep consistency sampling (Luo et al., "Latent consistency models", 2023, algorithm 3): clean latents with new noise. */
export const lcm = (): Sampler => async (x, run) => {
  for (let i = 0; i + 1 < run.sigmas.length; i++) {
    const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
    const denoised = await run.denoise(x, from);
    await run.step(i, x, denoised);
    x = to > 0 ? run.sampling.noised(to, run.noise(), denoised, false) : denoised;
  }
  return x;
};
