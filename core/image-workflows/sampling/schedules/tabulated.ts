import { roundHalfEven } from '../../images/rounding.ts';
import type { NoiseLevels } from '../../values/noise-levels.ts';
import { betaQuantile } from './beta-quantile.ts';
import { linspace, withFinalZero } from './formulas.ts';

/** Whether a sigma counts as 0, without noise. */
const isZero = (sigma: number): boolean => Math.abs(sigma) <= 1e-5;

/**
 * Evenly spaced in the model's timesteps. `leadingOnly`: computed for one more step, whose level is dropped, as in
 * Stability AI's code.
 */
export function normal(levels: NoiseLevels, steps: number, leadingOnly = false): Float32Array {
  const [start, end] = [levels.timestepOf(levels.sigmaMax), levels.timestepOf(levels.sigmaMin)];
  const sigmas = (times: number[]) => times.map((time) => levels.sigmaOf(time));
  if (leadingOnly) return withFinalZero(sigmas(linspace(start, end, steps + 1).slice(0, -1)));
  if (isZero(levels.sigmaOf(end))) return Float32Array.from(sigmas(linspace(start, end, steps + 1)));
  return withFinalZero(sigmas(linspace(start, end, steps)));
}

/** Equally spaced levels of the table, from the highest. */
export function simple({ sigmas }: NoiseLevels, steps: number): Float32Array {
  const stride = sigmas.length / steps;
  return withFinalZero(
    Array.from({ length: steps }, (_, index) => sigmas[sigmas.length - 1 - Math.floor(index * stride)]!),
  );
}

/**
 * Equally spaced levels of the table from the second lowest (DDIM, Song et al., 2021, appendix D.2). The stride is an
 * integer, so the number of steps may differ, and the highest level may be missing.
 */
export function ddimUniform({ sigmas }: NoiseLevels, steps: number): Float32Array {
  const endsAtZero = isZero(sigmas[1]!);
  const stride = Math.max(Math.floor(sigmas.length / (endsAtZero ? steps + 1 : steps)), 1);
  const rising: number[] = endsAtZero ? [] : [0];
  for (let index = 1; index < sigmas.length; index += stride) rising.push(sigmas[index]!);
  return Float32Array.from(rising.reverse());
}

/** Levels at quantiles of a beta distribution (Lee et al., "Beta sampling is all you need", 2024), without repetitions. */
export function beta({ sigmas }: NoiseLevels, steps: number, a = 0.6, b = 0.6): Float32Array {
  const last = sigmas.length - 1;
  const indices = Array.from({ length: steps }, (_, index) =>
    roundHalfEven(betaQuantile(1 - index / steps, a, b) * last),
  );
  return withFinalZero(
    indices.filter((entry, index) => entry !== indices[index - 1]).map((entry) => sigmas[entry]!),
  );
}

/** The last part of the ten steps that SD-Turbo was distilled to (Sauer et al., "Adversarial diffusion distillation", 2023). */
export function turbo(levels: NoiseLevels, steps: number, denoise: number): Float32Array {
  const first = 10 - Math.trunc(10 * denoise);
  const times = Array.from({ length: 10 }, (_, index) => (10 - index) * 100 - 1).slice(first, first + steps);
  return withFinalZero(times.map((time) => levels.sigmaOf(time)));
}
