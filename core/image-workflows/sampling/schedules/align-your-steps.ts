import published from './align-your-steps.json' with { type: 'json' };

export type AlignedModel = keyof typeof published;
export const ALIGNED_MODELS = Object.keys(published) as AlignedModel[];

/**
 * Levels found by optimization for a family of models (Sabour et al., "Align your steps", 2024, the published ten steps),
 * for other numbers of steps read off between them in log sigma. Below `denoise` 1 only the last part.
 */
export function alignYourSteps(model: AlignedModel, steps: number, denoise: number): Float32Array {
  const total = denoise < 1 ? roundHalfEven(steps * denoise) : steps;
  if (total <= 0) return new Float32Array(0);
  const levels = logLinear(published[model], steps + 1).slice(-(total + 1));
  levels[levels.length - 1] = 0;
  return Float32Array.from(levels);
}

function logLinear(levels: readonly number[], count: number): number[] {
  if (count === levels.length) return [...levels];
  const logs = levels.map(Math.log);
  return Array.from({ length: count }, (_, index) => {
    const place = (index * (levels.length - 1)) / (count - 1);
    const low = Math.min(Math.floor(place), levels.length - 2);
    return Math.exp(logs[low]! + (place - low) * (logs[low + 1]! - logs[low]!));
  });
}

const roundHalfEven = (value: number): number =>
  Math.abs(value % 1) === 0.5 ? 2 * Math.round(value / 2) : Math.round(value);
