import type { Sampler, SamplerRun, Stochastic } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { halfLogSnr, sigmaOfHalfLogSnr } from '../model-sampling/half-log-snr.ts';
import { combine, type Term } from '../tensor-math.ts';
import { exponentialStep, phi2, stepInLambda } from './exponential.ts';

/** The level at a share of a step's length in lambda. */
function partLevel(run: SamplerRun, from: number, to: number, share: number): number {
  const start = halfLogSnr(run.sampling, from);
  const lambda = start + share * (halfLogSnr(run.sampling, to) - start);
  return Math.fround(sigmaOfHalfLogSnr(run.sampling, lambda));
}

/** The noises of the parts of a step, each damped by the parts that follow. `ends`: the ends of the parts, as shares. */
function noiseTerms(noises: FloatTensor[], ends: number[], h: number, eta: number, scale: number): Term[] {
  const last = ends.at(-1)!;
  return noises.map((noise, k) => {
    const begin = ends[k - 1] ?? 0;
    const fresh = Math.sqrt(-Math.expm1(-2 * (ends[k]! - begin) * h * eta));
    return [scale * fresh * Math.exp(-(last - ends[k]!) * h * eta), noise];
  });
}

/**
 * SEEDS-2 (Gonzalez et al., "SEEDS: exponential SDE solvers for fast high-quality sampling from diffusion models", 2023,
 * algorithm 2), with its midpoint at the share `r`.
 */
export const seeds2 =
  ({ eta = 1, noiseScale = 1, r = 0.5 }: Stochastic & { r?: number } = {}): Sampler =>
  (x, run) =>
    stepInLambda(x, run, async (x, denoised, from, to) => {
      const addsNoise = eta > 0 && noiseScale > 0;
      const noises = addsNoise ? [run.noise(), run.noise()] : [];
      const middle = partLevel(run, from, to, r);
      const half = exponentialStep(run.sampling, from, middle, eta);
      const full = exponentialStep(run.sampling, from, to, eta);
      const middleDenoised = await run.denoise(
        combine(
          [half.keep, x],
          [half.gain, denoised],
          ...noiseTerms(noises.slice(0, 1), [r], full.h, eta, middle * noiseScale),
        ),
        middle,
      );
      const share = 1 / (2 * r);
      return combine(
        [full.keep, x],
        [full.gain * (1 - share), denoised],
        [full.gain * share, middleDenoised],
        ...noiseTerms(noises, [r, 1], full.h, eta, to * noiseScale),
      );
    });

/** SEEDS-3 (algorithm 3), with its intermediate points at the shares `r1` and `r2`. */
export const seeds3 =
  ({
    eta = 1,
    noiseScale = 1,
    r1 = 1 / 3,
    r2 = 2 / 3,
  }: Stochastic & { r1?: number; r2?: number } = {}): Sampler =>
  (x, run) =>
    stepInLambda(x, run, async (x, denoised, from, to) => {
      const addsNoise = eta > 0 && noiseScale > 0;
      const noises = addsNoise ? [run.noise(), run.noise(), run.noise()] : [];
      const [s1, s2] = [partLevel(run, from, to, r1), partLevel(run, from, to, r2)];
      const first = exponentialStep(run.sampling, from, s1, eta);
      const second = exponentialStep(run.sampling, from, s2, eta);
      const full = exponentialStep(run.sampling, from, to, eta);
      const damped = (count: number, level: number) =>
        noiseTerms(noises.slice(0, count), [r1, r2, 1].slice(0, count), full.h, eta, level * noiseScale);
      const x1 = combine([first.keep, x], [first.gain, denoised], ...damped(1, s1));
      const denoised1 = await run.denoise(x1, s1);
      const bend = second.alpha * (r2 / r1) * phi2(second.hEta);
      const x2 = combine(
        [second.keep, x],
        [second.gain - bend, denoised],
        [bend, denoised1],
        ...damped(2, s2),
      );
      const denoised2 = await run.denoise(x2, s2);
      const wide = (full.alpha / r2) * phi2(full.hEta);
      return combine([full.keep, x], [full.gain - wide, denoised], [wide, denoised2], ...damped(3, to));
    });
