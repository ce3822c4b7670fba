import type { Sampler, SamplerRun, Stochastic } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { alphaOf, halfLogSnr } from '../model-sampling/half-log-snr.ts';
import { combine, type Term } from '../tensor-math.ts';
import { boundedLevels } from './exponential.ts';
import { integral, lagrange } from './quadrature.ts';

export interface SaSolverOptions extends Stochastic {
  /** The part of the sampling, in shares from 0 to 1, in which noise is drawn anew. */
  stochasticFrom?: number;
  stochasticTo?: number;
  predictorOrder?: number;
  correctorOrder?: number;
  /** Runs the model again on the corrected latent (PECE). */
  evaluateCorrected?: boolean;
  /** Approximates the exponential by a constant when two clean latents are combined. */
  simpleOrder2?: boolean;
}

/** SA-Solver (Xue et al., "SA-Solver: stochastic Adams solver for fast sampling of diffusion models", 2023, algorithm 1). */
export const saSolver =
  ({
    eta = 1,
    noiseScale = 1,
    stochasticFrom = 0.2,
    stochasticTo = 0.8,
    predictorOrder = 3,
    correctorOrder = 4,
    evaluateCorrected = false,
    simpleOrder2 = false,
  }: SaSolverOptions = {}): Sampler =>
  async (x, run) => {
    const sigmas = boundedLevels(run);
    const { sampling } = run;
    const lambdas = Array.from(sigmas, (sigma) => halfLogSnr(sampling, sigma));
    const [highest, lowest] = [sampling.sigmaAt(stochasticFrom), sampling.sigmaAt(stochasticTo)];
    const tauAt = (sigma: number) => (sigma <= highest && sigma >= lowest ? eta : 0);
    const steps = sigmas.length - 1;
    const endsAtZero = sigmas[steps] === 0;
    const memory = Math.max(predictorOrder, correctorOrder);
    const weights = (i: number, tau: number, nodes: number[], corrects: boolean) =>
      adamsWeights(
        run,
        { from: lambdas[i]!, to: lambdas[i + 1]!, level: sigmas[i + 1]! },
        tau,
        nodes,
        simpleOrder2 && (corrects ? 'corrector' : 'predictor'),
      );
    // Clean latents, newest last.
    const history: FloatTensor[] = [];
    let predicted = x;
    let tau = 0;
    let drawn: FloatTensor | undefined;
    for (let i = 0; i < steps; i++) {
      const [from, to] = [sigmas[i]!, sigmas[i + 1]!];
      let denoised = await run.denoise(predicted, from);
      await run.step(i, predicted, denoised);
      history.push(denoised);
      if (history.length > memory) history.shift();
      let predictor = Math.min(predictorOrder, history.length);
      let corrector =
        i === 0 || (to === 0 && !evaluateCorrected) ? 0 : Math.min(correctorOrder, history.length);
      if (endsAtZero) {
        predictor = Math.min(predictor, steps - 1 - i);
        corrector = Math.min(corrector, steps - i);
      }
      if (corrector === 0) x = predicted;
      else {
        const decay = (from / sigmas[i - 1]!) * Math.exp(-(tau ** 2) * (lambdas[i]! - lambdas[i - 1]!));
        const b = weights(i - 1, tau, lambdas.slice(i - corrector + 1, i + 1), true);
        x = combine(
          [decay, x],
          ...b.map((weight, k): Term => [weight, history[history.length - corrector + k]!]),
        );
        if (drawn) x = combine([1, x], [1, drawn]);
        if (evaluateCorrected) {
          denoised = await run.denoise(x, from);
          history[history.length - 1] = denoised;
        }
      }
      if (to === 0) {
        x = denoised;
        continue;
      }
      tau = tauAt(to);
      const h = lambdas[i + 1]! - lambdas[i]!;
      const b = weights(i, tau, lambdas.slice(i - predictor + 1, i + 1), false);
      predicted = combine(
        [(to / from) * Math.exp(-(tau ** 2) * h), x],
        ...b.map((weight, k): Term => [weight, history[history.length - predictor + k]!]),
      );
      drawn = undefined;
      if (tau > 0 && noiseScale > 0) {
        drawn = combine([to * Math.sqrt(-Math.expm1(-2 * tau ** 2 * h)) * noiseScale, run.noise()]);
        predicted = combine([1, predicted], [1, drawn]);
      }
    }
    return endsAtZero ? x : predicted;
  };

/**
 * The coefficients of the clean latents at `nodes`. Each is the integral over lambda of the node's Lagrange polynomial
 * times alpha (1 + tau^2) e^(-(1 + tau^2)(to - lambda)). Source: Xue et al., 2023, equation 15.
 */
function adamsWeights(
  { sampling }: SamplerRun,
  { from, to, level }: { from: number; to: number; level: number },
  tau: number,
  nodes: number[],
  simple: 'predictor' | 'corrector' | false,
): number[] {
  const speed = 1 + tau ** 2;
  const alpha = alphaOf(sampling, level);
  const h = to - from;
  if (simple && nodes.length === 2) {
    const sum = -alpha * Math.expm1(-h * speed);
    if (simple === 'corrector') return [sum - (alpha * speed * h) / 2, (alpha * speed * h) / 2];
    const older = (alpha * speed * h ** 2) / 2 / (nodes[0]! - from);
    return [older, sum - older];
  }
  const panels = Math.max(4, Math.ceil(2 * h * speed));
  return nodes.map(
    (_, k) =>
      alpha *
      speed *
      integral((lambda) => Math.exp(-speed * (to - lambda)) * lagrange(nodes, k, lambda), from, to, panels),
  );
}
