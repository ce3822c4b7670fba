import type { Sampler, SamplerRun, Stochastic } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { alphaOf, halfLogSnr, sigmaOfHalfLogSnr } from '../model-sampling/half-log-snr.ts';
import { combine } from '../tensor-math.ts';
import { ancestral } from './ancestral.ts';
import { exponentialStep, phi2, stepInLambda, withBrownian } from './exponential.ts';

/** DPM-Solver++ (Lu et al., 2022) on the reverse SDE: single steps with a midpoint at the share `r` of lambda. */
export const dpmppSde =
  ({ eta = 1, noiseScale = 1, r = 0.5 }: Stochastic & { r?: number } = {}): Sampler =>
  (x, run) =>
    stepInLambda(x, run, async (x, denoised, from, to) => {
      const start = halfLogSnr(run.sampling, from);
      const lambda = start + r * (halfLogSnr(run.sampling, to) - start);
      const middle = Math.fround(sigmaOfHalfLogSnr(run.sampling, lambda));
      const half = ancestralStep(run, x, denoised, from, middle, eta, noiseScale);
      const middleDenoised = await run.denoise(half, middle);
      const share = 1 / (2 * r);
      const mixed = combine([1 - share, denoised], [share, middleDenoised]);
      return ancestralStep(run, x, mixed, from, to, eta, noiseScale);
    });

/** An ancestral step in levels relative to the coefficient of the image. */
function ancestralStep(
  run: SamplerRun,
  x: FloatTensor,
  denoised: FloatTensor,
  from: number,
  to: number,
  eta: number,
  noiseScale: number,
): FloatTensor {
  const [alphaFrom, alphaTo] = [alphaOf(run.sampling, from), alphaOf(run.sampling, to)];
  const { sigmaDown, sigmaUp } = ancestral(from / alphaFrom, to / alphaTo, eta);
  const decay = sigmaDown / (from / alphaFrom);
  const solved = combine([(alphaTo / alphaFrom) * decay, x], [alphaTo * (1 - decay), denoised]);
  return withBrownian(solved, alphaTo * sigmaUp * noiseScale, run, from, to);
}

/** SDE-DPM-Solver++(2M) (Lu et al., revised 2023, algorithm 4). `heun` and `midpoint` weigh the slope differently. */
export const dpmpp2mSde =
  ({
    eta = 1,
    noiseScale = 1,
    solver = 'midpoint',
  }: Stochastic & { solver?: 'midpoint' | 'heun' } = {}): Sampler =>
  (x, run) => {
    let old: { denoised: FloatTensor; h: number } | undefined;
    return stepInLambda(x, run, (x, denoised, from, to) => {
      const step = exponentialStep(run.sampling, from, to, eta);
      const weight = solver === 'heun' ? step.alpha * phi2(step.hEta) : step.gain / 2;
      const ahead = old ? (weight * step.h) / old.h : 0;
      const next = old
        ? combine([step.keep, x], [step.gain + ahead, denoised], [-ahead, old.denoised])
        : combine([step.keep, x], [step.gain, denoised]);
      old = { denoised, h: step.h };
      return withBrownian(next, step.noise * noiseScale, run, from, to);
    });
  };

/** The third-order multistep form, with the divided differences of DPM-Solver++'s appendix B. */
export const dpmpp3mSde =
  ({ eta = 1, noiseScale = 1 }: Stochastic = {}): Sampler =>
  (x, run) => {
    const old: { denoised: FloatTensor; h: number }[] = [];
    return stepInLambda(x, run, (x, denoised, from, to) => {
      const { h, hEta, alpha, keep, gain, noise } = exponentialStep(run.sampling, from, to, eta);
      const [last, lastButOne] = old;
      let next = combine([keep, x], [gain, denoised]);
      const second = alpha * phi2(hEta);
      if (last && lastButOne) {
        const third = alpha * (phi2(hEta) / hEta - 0.5);
        const [r0, r1] = [last.h / h, lastButOne.h / h];
        const newer = combine([1 / r0, denoised], [-1 / r0, last.denoised]);
        const older = combine([1 / r1, last.denoised], [-1 / r1, lastButOne.denoised]);
        const bend = (second * r0 - third) / (r0 + r1);
        next = combine([1, next], [second + bend, newer], [-bend, older]);
      } else if (last) {
        const weight = (second * h) / last.h;
        next = combine([1, next], [weight, denoised], [-weight, last.denoised]);
      }
      old.unshift({ denoised, h });
      old.length = Math.min(old.length, 2);
      return withBrownian(next, noise * noiseScale, run, from, to);
    });
  };
