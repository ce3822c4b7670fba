import type { NoiseLevels } from '../../values/noise-levels.ts';
import { exponential, karras, klOptimal, linearQuadratic } from './formulas.ts';
import { beta, ddimUniform, normal, simple } from './tabulated.ts';

type Scheduler = (levels: NoiseLevels, steps: number) => Float32Array;

/** The schedulers by their names in the API, in its order. */
export const SCHEDULERS: Readonly<Record<string, Scheduler>> = {
  simple,
  sgm_uniform: (levels, steps) => normal(levels, steps, true),
  karras: ({ sigmaMin, sigmaMax }, steps) => karras(steps, sigmaMin, sigmaMax),
  exponential: ({ sigmaMin, sigmaMax }, steps) => exponential(steps, sigmaMin, sigmaMax),
  ddim_uniform: ddimUniform,
  beta: (levels, steps) => beta(levels, steps),
  normal: (levels, steps) => normal(levels, steps),
  linear_quadratic: ({ sigmaMax }, steps) => linearQuadratic(steps, sigmaMax),
  kl_optimal: ({ sigmaMin, sigmaMax }, steps) => klOptimal(steps, sigmaMin, sigmaMax),
};

/**
 * The levels for `steps` steps: usually steps + 1 numbers, but some schedulers return more or fewer.
 *
 * @throws for unknown names.
 */
export function schedule(name: string, levels: NoiseLevels, steps: number): Float32Array {
  const scheduler = SCHEDULERS[name];
  if (!scheduler) throw new Error(`there is no scheduler "${name}"`);
  return scheduler(levels, steps);
}

/**
 * The last `steps` steps of a schedule of `steps / denoise` steps, for sampling that starts from an image. Empty for
 * `denoise` 0.
 */
export function partialSchedule(
  name: string,
  levels: NoiseLevels,
  steps: number,
  denoise: number,
  fullSchedule: (name: string, levels: NoiseLevels, steps: number) => Float32Array = schedule,
): Float32Array {
  if (denoise > 0.9999) return fullSchedule(name, levels, steps);
  if (denoise <= 0) return new Float32Array(0);
  return fullSchedule(name, levels, Math.trunc(steps / denoise)).slice(-(steps + 1));
}
