import type { Sampler, SamplerRun, Stochastic } from '../../values/sampler.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { alphaOf, halfLogSnr } from '../model-sampling/half-log-snr.ts';
import { combine, type Term } from '../tensor-math.ts';
import { boundedLevels } from './exponential.ts';
import { integral, lagrange } from './quadrature.ts';

export interface SaSolverOptions extends Stochastic {
  /** Between which shares of the way noise is drawn anew. */
  stochasticFrom?: number;
  stochasticTo?: number;
  predictorOrder?: number;
  correctorOrder?: number;
  /** Runs the model again on what the corrector gave. */
  evaluateCorrected?: boolean;
  /** Takes the exponential as even over a step where two clean latents are weighed. */
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
    const closes = sigmas[steps] === 0;
    const memory = Math.max(predictorOrder, correctorOrder);
    const weights = (i: number, tau: number, nodes: number[], corrects: boolean) =>
      adamsWeights(
        run,
        { from: lambdas[i]!, to: lambdas[i + 1]!, level: sigmas[i + 1]! },
        tau,
        nodes,
        simpleOrder2 && (corrects ? 'corrector' : 'predictor'),
      );
    /** Newest last. */
    const seen: FloatTensor[] = [];
    let predicted = x;
    let tau = 0;
    let drawn: FloatTensor | undefined;
    for (let i = 0; i < steps; i++) {
      const [from, to] = [sigmas[i]!, sigmas[i + 1]!];
      let denoised = await run.denoise(predicted, from);
      await run.step(i, predicted, denoised);
      seen.push(denoised);
      if (seen.length > memory) seen.shift();
      let predictor = Math.min(predictorOrder, seen.length);
      let corrector = i === 0 || (to === 0 && !evaluateCorrected) ? 0 : Math.min(correctorOrder, seen.length);
      if (closes) {
        predictor = Math.min(predictor, steps - 1 - i);
        corrector = Math.min(corrector, steps - i);
      }
      if (corrector === 0) x = predicted;
      else {
        const decay = (from / sigmas[i - 1]!) * Math.exp(-(tau ** 2) * (lambdas[i]! - lambdas[i - 1]!));
        const b = weights(i - 1, tau, lambdas.slice(i - corrector + 1, i + 1), true);
        x = combine([decay, x], ...b.map((weight, k): Term => [weight, seen[seen.length - corrector + k]!]));
        if (drawn) x = combine([1, x], [1, drawn]);
        if (evaluateCorrected) {
          denoised = await run.denoise(x, from);
          seen[seen.length - 1] = denoised;
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
        ...b.map((weight, k): Term => [weight, seen[seen.length - predictor + k]!]),
      );
      drawn = undefined;
      if (tau > 0 && noiseScale > 0) {
        drawn = combine([to * Math.sqrt(-Math.expm1(-2 * tau ** 2 * h)) * noiseScale, run.noise()]);
        predicted = combine([1, predicted], [1, drawn]);
      }
    }
    return closes ? x : predicted;
  };

/**
 * The weights of the clean latents at `nodes`: the integral over lambda of their polynomial times
 * alpha (1 + tau^2) e^(-(1 + tau^2)(to - lambda)) (Xue et al., 2023, equation 15).
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
    const whole = -alpha * Math.expm1(-h * speed);
    if (simple === 'corrector') return [whole - (alpha * speed * h) / 2, (alpha * speed * h) / 2];
    const older = (alpha * speed * h ** 2) / 2 / (nodes[0]! - from);
    return [older, whole - older];
  }
  const panels = Math.max(4, Math.ceil(2 * h * speed));
  return nodes.map(
    (_, k) =>
      alpha *
      speed *
      integral((lambda) => Math.exp(-speed * (to - lambda)) * lagrange(nodes, k, lambda), from, to, panels),
  );
}
