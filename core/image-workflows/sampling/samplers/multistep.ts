import type { Sampler } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine, type Term } from '../tensor-math.ts';
import { derivative } from './ancestral.ts';
import { deisWeights } from './deis-weights.ts';
import { integral, lagrange } from './quadrature.ts';

/** The coefficients of the last slopes, newest first, for the step from `sigmas[i]` to the next level. */
type Weights = (sigmas: Float32Array, i: number, order: number) => number[];

/** Solvers that combine earlier slopes dx/dsigma (Adams-Bashforth), so that a step needs one model run. */
const multistep =
  (maxOrder: number, weights: Weights): Sampler =>
  async (x, run) => {
    const { sigmas } = run;
    const slopes: FloatTensor[] = [];
    for (let i = 0; i + 1 < sigmas.length; i++) {
      const from = sigmas[i]!;
      const denoised = await run.denoise(x, from);
      await run.step(i, x, denoised);
      slopes.unshift(derivative(x, denoised, from));
      slopes.length = Math.min(slopes.length, maxOrder);
      const terms = weights(sigmas, i, slopes.length).map((weight, k): Term => [weight, slopes[k]!]);
      x = combine([1, x], ...terms);
    }
    return x;
  };

const levelsBack = (sigmas: Float32Array, i: number, order: number): number[] =>
  Array.from({ length: order }, (_, k) => sigmas[i - k]!);

/** Adams-Bashforth for uneven steps: the integral of the polynomial through the last slopes. */
export const linearMultistep = ({ order = 4 } = {}): Sampler =>
  multistep(order, (sigmas, i, used) => {
    if (sigmas[i + 1] === 0) return [-sigmas[i]!];
    const nodes = levelsBack(sigmas, i, used);
    return nodes.map((_, k) => integral((sigma) => lagrange(nodes, k, sigma), sigmas[i]!, sigmas[i + 1]!));
  });

const EVEN_WEIGHTS = [
  [1],
  [3 / 2, -1 / 2],
  [23 / 12, -16 / 12, 5 / 12],
  [55 / 24, -59 / 24, 37 / 24, -9 / 24],
];

/**
 * iPNDM (Zhang and Chen, "Fast sampling of diffusion models with exponential integrator", 2023, section 4), with the
 * coefficients of even steps.
 */
export const ipndm = ({ order = 4 } = {}): Sampler =>
  multistep(order, (sigmas, i, used) => {
    const step = sigmas[i + 1]! - sigmas[i]!;
    if (sigmas[i + 1] === 0) return [step];
    return EVEN_WEIGHTS[used - 1]!.map((weight) => weight * step);
  });

/** iPNDM for uneven steps, from the code of Chen et al., "On the trajectory regularity of ODE-based diffusion sampling", 2024. */
export const ipndmVariable = ({ order = 4 } = {}): Sampler =>
  multistep(order, (sigmas, i, used) => {
    const step = sigmas[i + 1]! - sigmas[i]!;
    if (sigmas[i + 1] === 0) return [step];
    const steps = Array.from({ length: used }, (_, k) => sigmas[i - k + 1]! - sigmas[i - k]!);
    return variableWeights(steps).map((weight) => weight * step);
  });

/** The lengths of the next step, of the last one, and so on. */
function variableWeights([h0, h1, h2, h3]: number[]): number[] {
  if (h1 === undefined) return [1];
  const ratio = h0! / h1;
  const weights = [(2 + ratio) / 2, -ratio / 2, 0, 0];
  if (h2 === undefined) return weights.slice(0, 2);
  const third = (1 - ((h0! / (3 * (h0! + h1))) * (h0! * (h0! + h1))) / (h1 * (h1 + h2))) / 2;
  weights[0]! += third;
  weights[1]! -= (1 + h1 / h2) * third;
  weights[2]! += (third * h1) / h2;
  if (h3 === undefined) return weights.slice(0, 3);
  const fourth =
    (((1 - h0! / (3 * (h0! + h1))) / 2 + ((1 - h0! / (2 * (h0! + h1))) * h0!) / (6 * (h0! + h1 + h2))) *
      (h0! * (h0! + h1) * (h0! + h1 + h2))) /
    (h1 * (h1 + h2) * (h1 + h2 + h3));
  const older = (h1 * (h1 + h2)) / (h2 * (h2 + h3));
  weights[0]! += fourth;
  weights[1]! -= (1 + h1 / h2 + older) * fourth;
  weights[2]! += (h1 / h2 + older * (1 + h2 / h3)) * fourth;
  weights[3]! -= (fourth * older * h1) / h2;
  return weights;
}

/** DEIS (Zhang and Chen, 2023, equation 15): polynomials in the time of the variance-preserving SDE. */
export const deis = ({ order = 3 } = {}): Sampler =>
  multistep(order, (sigmas, i, used) => {
    if (used === 1 || sigmas[i + 1]! <= 0) return [sigmas[i + 1]! - sigmas[i]!];
    return deisWeights(levelsBack(sigmas, i, used), sigmas[i + 1]!);
  });
