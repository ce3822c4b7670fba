import type { Sampler, Stochastic } from '../../values/sampler.ts';
import { combine } from '../tensor-math.ts';
import { ancestral, derivative, eulerStep } from './ancestral.ts';

/** Algorithm 2 of Karras et al. (EDM), 2022, without churn. */
export const heun = (): Sampler => async (x, run) => {
  for (let i = 0; i + 1 < run.sigmas.length; i++) {
    const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
    const denoised = await run.denoise(x, from);
    await run.step(i, x, denoised);
    const ahead = eulerStep(x, denoised, from, to);
    if (to === 0) {
      x = ahead;
      continue;
    }
    const first = derivative(x, denoised, from);
    const second = derivative(ahead, await run.denoise(ahead, to), to);
    x = combine([1, x], [(to - from) / 2, first], [(to - from) / 2, second]);
  }
  return x;
};

/** Heun's method with up to two further slopes, each weighed by the ratio of its level to the first level (ComfyUI's heunpp2). */
export const heunPlusPlus = (): Sampler => async (x, run) => {
  const { sigmas } = run;
  const [first, last] = [sigmas[0]!, sigmas.at(-1)!];
  for (let i = 0; i + 1 < sigmas.length; i++) {
    const [from, to] = [sigmas[i]!, sigmas[i + 1]!];
    const denoised = await run.denoise(x, from);
    await run.step(i, x, denoised);
    const d = derivative(x, denoised, from);
    const ahead = combine([1, x], [to - from, d]);
    if (to === last) {
      x = ahead;
      continue;
    }
    const further = sigmas[i + 2]!;
    const d2 = derivative(ahead, await run.denoise(ahead, to), to);
    if (further === last) {
      const weight = to / (2 * first);
      x = combine([1, x], [(to - from) * (1 - weight), d], [(to - from) * weight, d2]);
      continue;
    }
    const furtherAhead = combine([1, ahead], [further - to, d2]);
    const d3 = derivative(furtherAhead, await run.denoise(furtherAhead, further), further);
    const [w2, w3] = [to / (3 * first), further / (3 * first)];
    const step = to - from;
    x = combine([1, x], [step * (1 - w2 - w3), d], [step * w2, d2], [step * w3, d3]);
  }
  return x;
};

/**
 * DPM-Solver-2 (Lu et al., "DPM-Solver", 2022, algorithm 1) in the variables of Karras et al. It uses the slope at the
 * geometric mean of two levels. With `eta` above 0, steps are ancestral.
 */
export const dpm2 =
  ({ eta = 0, noiseScale = 1 }: Stochastic = {}): Sampler =>
  async (x, run) => {
    for (let i = 0; i + 1 < run.sigmas.length; i++) {
      const [from, to] = [run.sigmas[i]!, run.sigmas[i + 1]!];
      const denoised = await run.denoise(x, from);
      await run.step(i, x, denoised);
      const { sigmaDown, sigmaUp, scale } = step(run.sampling.isFlow, from, to, eta);
      if (sigmaDown === 0) {
        x = eulerStep(x, denoised, from, 0);
        continue;
      }
      const middle = Math.fround(Math.sqrt(from * sigmaDown));
      const half = eulerStep(x, denoised, from, middle);
      const d = derivative(half, await run.denoise(half, middle), middle);
      x = combine([scale, x], [scale * (sigmaDown - from), d]);
      if (sigmaUp > 0) x = combine([1, x], [sigmaUp * noiseScale, run.noise()]);
    }
    return x;
  };

/** The sigma that the deterministic part reaches, the strength of the noise after it, and a factor for x in flows. */
function step(isFlow: boolean, from: number, to: number, eta: number) {
  if (!isFlow) {
    const { sigmaDown, sigmaUp } = ancestral(from, to, eta);
    return { sigmaDown, sigmaUp: to > 0 ? sigmaUp : 0, scale: 1 };
  }
  const sigmaDown = to * (1 + (to / from - 1) * eta);
  const scale = (1 - to) / (1 - sigmaDown);
  return { sigmaDown, sigmaUp: Math.sqrt(Math.max(to ** 2 - (sigmaDown * scale) ** 2, 0)), scale };
}
