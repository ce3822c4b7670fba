import type { Sampler, SamplerRun, Stochastic } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { linspace } from '../schedules/formulas.ts';
import { combine } from '../tensor-math.ts';
import { ancestral } from './ancestral.ts';

/**
 * DPM-Solver (Lu et al., "DPM-Solver: a fast ODE solver for diffusion probabilistic model sampling", 2022). It integrates
 * the noise eps over the time t = -log sigma. Equations, algorithms and appendices below are those of this paper.
 */
const single = Math.fround;
const sigmaOf = (t: number): number => single(Math.exp(-t));
const growth = (h: number): number => single(Math.expm1(h));

/**
 * x - a first - b second, rounded to single precision at each operation. The adaptive solver controls its steps by
 * differences so small that rounding matters, so all platforms must round alike.
 */
function solved(x: FloatTensor, a: number, first: FloatTensor, b = 0, second = first): FloatTensor {
  const [fa, fb] = [single(a), single(b)];
  return {
    shape: x.shape,
    data: x.data.map((value, i) => {
      const moved = single(value - single(fa * first.data[i]!));
      return b === 0 ? moved : moved - single(fb * second.data[i]!);
    }),
  };
}

const difference = (a: FloatTensor, b: FloatTensor): FloatTensor => combine([1, a], [-1, b]);

type Noise = (x: FloatTensor, t: number) => Promise<FloatTensor>;

const noiseOf =
  (run: SamplerRun): Noise =>
  async (x, t) => {
    const sigma = sigmaOf(t);
    const { data } = difference(x, await run.denoise(x, sigma));
    for (let i = 0; i < data.length; i++) data[i]! /= sigma;
    return { shape: x.shape, data };
  };

const first = (x: FloatTensor, eps: FloatTensor, t: number, to: number): FloatTensor =>
  solved(x, sigmaOf(to) * growth(single(to - t)), eps);

/** Algorithm 4 (DPM-Solver-2) with its midpoint at the share `r1`. `eps1` is the noise at the midpoint. */
function second(x: FloatTensor, eps: FloatTensor, eps1: FloatTensor, t: number, to: number, r1: number) {
  const h = single(to - t);
  const full = single(sigmaOf(to) * growth(h));
  const bend = single(single(sigmaOf(to) / (2 * r1)) * growth(h));
  return solved(x, full, eps, bend, difference(eps1, eps));
}

const [R1, R2] = [1 / 3, 2 / 3];

/** Algorithm 5 (DPM-Solver-3): the third-order solution, and the embedded second-order one. */
async function third(noise: Noise, x: FloatTensor, eps: FloatTensor, t: number, to: number) {
  const h = single(to - t);
  const [s1, s2] = [single(t + single(R1 * h)), single(t + single(R2 * h))];
  const eps1 = await noise(solved(x, sigmaOf(s1) * growth(single(R1 * h)), eps), s1);
  const part = growth(single(R2 * h));
  const bend = single(single(sigmaOf(s2) * (R2 / R1)) * single(single(part / single(R2 * h)) - 1));
  const u2 = solved(x, single(sigmaOf(s2) * part), eps, bend, difference(eps1, eps));
  const eps2 = await noise(u2, s2);
  const wide = single(single(sigmaOf(to) / R2) * single(single(growth(h) / h) - 1));
  return {
    low: second(x, eps, eps1, t, to, R1),
    high: solved(x, single(sigmaOf(to) * growth(h)), eps, wide, difference(eps2, eps)),
  };
}

/** The solver's time at the first and last level. For sigma 0 it is infinite, so the level before is used. */
function range({ sigmas }: SamplerRun): { from: number; to: number } {
  const last = sigmas.at(-1)!;
  return { from: single(-Math.log(sigmas[0]!)), to: single(-Math.log(last === 0 ? sigmas.at(-2)! : last)) };
}

/** DPM-Solver-fast (section 3.4): as many model runs as steps, in equal third-order steps with lower orders at the end. */
export const dpmFast = (): Sampler => async (x, run) => {
  const runs = run.sigmas.length - 1;
  const { from, to } = range(run);
  const noise = noiseOf(run);
  const thirds = Math.floor(runs / 3);
  const orders =
    runs % 3 === 0
      ? [...new Array<number>(thirds - 1).fill(3), 2, 1]
      : [...new Array<number>(thirds).fill(3), runs % 3];
  const times = linspace(from, to, orders.length + 1);
  for (const [i, order] of orders.entries()) {
    const [t, next] = [times[i]!, times[i + 1]!];
    const eps = await noise(x, t);
    await run.step(i, x, combine([1, x], [-sigmaOf(t), eps]));
    if (order === 1) x = first(x, eps, t, next);
    else if (order === 2) {
      const middle = t + (next - t) / 2;
      x = second(x, eps, await noise(first(x, eps, t, middle), middle), t, next, 0.5);
    } else x = (await third(noise, x, eps, t, next)).high;
  }
  return x;
};

export interface AdaptiveOptions extends Stochastic {
  order?: number;
  relativeTolerance?: number;
  absoluteTolerance?: number;
  firstStep?: number;
  /** The proportional, integral and derivative coefficients of the step controller. */
  control?: { p: number; i: number; d: number };
  acceptSafety?: number;
}

/** DPM-Solver-12 and -23 (appendix C): the difference of two orders decides the length of a step. */
export const dpmAdaptive =
  ({
    order = 3,
    relativeTolerance = 0.05,
    absoluteTolerance = 0.0078,
    firstStep = 0.05,
    control = { p: 0, i: 1, d: 0 },
    acceptSafety = 0.81,
    eta = 0,
    noiseScale = 1,
  }: AdaptiveOptions = {}): Sampler =>
  async (x, run) => {
    const { from, to } = range(run);
    const noise = noiseOf(run);
    const controller = stepController(firstStep, control, eta > 0 ? 1.5 : order, acceptSafety);
    let t = from;
    let before = x;
    for (let i = 0; t < to - 1e-5; ) {
      const next = Math.min(to, single(t + controller.step));
      const down =
        eta > 0 ? Math.min(to, -Math.log(ancestral(sigmaOf(t), sigmaOf(next), eta).sigmaDown)) : next;
      const eps = await noise(x, t);
      let pair: { low: FloatTensor; high: FloatTensor };
      if (order === 2) {
        const middle = t + (down - t) / 2;
        const eps1 = await noise(first(x, eps, t, middle), middle);
        pair = { low: first(x, eps, t, down), high: second(x, eps, eps1, t, down, 0.5) };
      } else pair = await third(noise, x, eps, t, down);
      const error = relativeError(pair, before, absoluteTolerance, relativeTolerance);
      if (!Number.isFinite(error)) throw new Error('the model returned numbers that are not finite');
      if (controller.accepts(error)) {
        await run.step(i++, x, combine([1, x], [-sigmaOf(t), eps]));
        before = pair.low;
        const up = Math.sqrt(Math.max(sigmaOf(next) ** 2 - sigmaOf(down) ** 2, 0));
        x = eta > 0 ? combine([1, pair.high], [up * noiseScale, run.noise()]) : pair.high;
        t = next;
      }
    }
    return x;
  };

function relativeError(
  { low, high }: { low: FloatTensor; high: FloatTensor },
  before: FloatTensor,
  absolute: number,
  relative: number,
): number {
  let sum = 0;
  for (let i = 0; i < low.data.length; i++) {
    const size = Math.max(Math.abs(low.data[i]!), Math.abs(before.data[i]!));
    const allowed = single(Math.max(single(absolute), single(single(relative) * size)));
    sum += single(single(low.data[i]! - high.data[i]!) / allowed) ** 2;
  }
  return single(Math.sqrt(sum)) / Math.sqrt(low.data.length);
}

/**
 * A PID controller of step sizes (Söderlind, "Digital filters in adaptive time-stepping", 2003). An arc tangent limits
 * its factor.
 */
function stepController(
  firstStep: number,
  { p, i, d }: { p: number; i: number; d: number },
  order: number,
  acceptSafety: number,
) {
  const powers = [(p + i + d) / order, -(p + 2 * d) / order, d / order];
  let past: [number, number] | undefined;
  return {
    step: Math.abs(firstStep),
    accepts(error: number): boolean {
      const inverse = 1 / (error + 1e-8);
      past ??= [inverse, inverse];
      const raw = inverse ** powers[0]! * past[0] ** powers[1]! * past[1] ** powers[2]!;
      const factor = 1 + Math.atan(raw - 1);
      const accepted = factor >= acceptSafety;
      if (accepted) past = [inverse, past[0]];
      this.step *= factor;
      return accepted;
    },
  };
}
