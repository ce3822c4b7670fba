import type { NoiseLevels } from '../../values/noise-levels.ts';
import { betaQuantile } from './beta-quantile.ts';
import { linspace, withFinalZero } from './formulas.ts';

/** Schedules that walk a model's own levels. */

const isNothing = (sigma: number): boolean => Math.abs(sigma) <= 1e-5;

/** Even in the model's time. `leadingOnly`: one more step is laid out and the last left out, as Stability's code does. */
export function normal(levels: NoiseLevels, steps: number, leadingOnly = false): Float32Array {
  const [start, end] = [levels.timestepOf(levels.sigmaMax), levels.timestepOf(levels.sigmaMin)];
  const sigmas = (times: number[]) => times.map((time) => levels.sigmaOf(time));
  if (leadingOnly) return withFinalZero(sigmas(linspace(start, end, steps + 1).slice(0, -1)));
  if (isNothing(levels.sigmaOf(end))) return Float32Array.from(sigmas(linspace(start, end, steps + 1)));
  return withFinalZero(sigmas(linspace(start, end, steps)));
}

/** Every so-manieth level of the table, from the highest. */
export function simple({ sigmas }: NoiseLevels, steps: number): Float32Array {
  const stride = sigmas.length / steps;
  return withFinalZero(
    Array.from({ length: steps }, (_, index) => sigmas[sigmas.length - 1 - Math.floor(index * stride)]!),
  );
}

/**
 * Every so-manieth level from the second lowest (Song et al., DDIM, 2021, appendix D.2). The stride is whole, so the number
 * of steps may be another, and the highest level is not among them.
 */
export function ddimUniform({ sigmas }: NoiseLevels, steps: number): Float32Array {
  const endsAtNothing = isNothing(sigmas[1]!);
  const stride = Math.max(Math.floor(sigmas.length / (endsAtNothing ? steps + 1 : steps)), 1);
  const rising: number[] = endsAtNothing ? [] : [0];
  for (let index = 1; index < sigmas.length; index += stride) rising.push(sigmas[index]!);
  return Float32Array.from(rising.reverse());
}

/** Levels at quantiles of a beta distribution (Lee et al., "Beta sampling is all you need", 2024); repeated ones once. */
export function beta({ sigmas }: NoiseLevels, steps: number, a = 0.6, b = 0.6): Float32Array {
  const last = sigmas.length - 1;
  const places = Array.from({ length: steps }, (_, index) =>
    roundHalfEven(betaQuantile(1 - index / steps, a, b) * last),
  );
  return withFinalZero(
    places.filter((place, index) => place !== places[index - 1]).map((place) => sigmas[place]!),
  );
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** The ten steps that SD-Turbo was distilled to (Sauer et al., "Adversarial diffusion distillation", 2023), from the share `denoise` on. */
export function turbo(levels: NoiseLevels, steps: number, denoise: number): Float32Array {
  const first = 10 - Math.trunc(10 * denoise);
  const times = Array.from({ length: 10 }, (_, index) => (10 - index) * 100 - 1).slice(first, first + steps);
  return withFinalZero(times.map((time) => levels.sigmaOf(time)));
}
