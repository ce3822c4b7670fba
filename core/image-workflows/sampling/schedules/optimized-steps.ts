import { roundHalfEven } from '../../images/rounding.ts';
import aligned from './align-your-steps.json' with { type: 'json' };
import optimal from './optimal-steps.json' with { type: 'json' };

export type AlignedModel = keyof typeof aligned;
export const ALIGNED_MODELS = Object.keys(aligned) as AlignedModel[];
export type OptimalModel = keyof typeof optimal;
export const OPTIMAL_MODELS = Object.keys(optimal) as OptimalModel[];

/** Optimized levels for a family of models (Sabour et al., "Align your steps", 2024, the published ten steps). */
export const alignYourSteps = (model: AlignedModel, steps: number, denoise: number): Float32Array =>
  interpolateSteps(aligned[model], steps, denoise);

/** Levels of flow models from dynamic programming (Pei et al., "Optimal stepsize for diffusion sampling", 2025, the published tables). */
export const optimalSteps = (model: OptimalModel, steps: number, denoise: number): Float32Array =>
  interpolateSteps(optimal[model], steps, denoise);

/** Interpolates in log sigma for other numbers of steps. With `denoise` below 1, only the last part. */
function interpolateSteps(published: readonly number[], steps: number, denoise: number): Float32Array {
  const total = denoise < 1 ? roundHalfEven(steps * denoise) : steps;
  if (total <= 0) return new Float32Array(0);
  const levels = logLinear(published, steps + 1).slice(-(total + 1));
  levels[levels.length - 1] = 0;
  return Float32Array.from(levels);
}

function logLinear(levels: readonly number[], count: number): number[] {
  if (count === levels.length) return [...levels];
  const logs = levels.map(Math.log);
  return Array.from({ length: count }, (_, index) => {
    const position = (index * (levels.length - 1)) / (count - 1);
    const low = Math.min(Math.floor(position), levels.length - 2);
    return Math.exp(logs[low]! + (position - low) * (logs[low + 1]! - logs[low]!));
  });
}
