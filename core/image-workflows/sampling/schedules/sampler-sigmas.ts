import type { NoiseLevels } from '../../values/noise-levels.ts';
import { SAMPLERS } from '../samplers/samplers.ts';
import { partialSchedule, schedule } from './schedulers.ts';

/** The levels that a sampler of this name runs through. Throws for names that there are not. */
export function samplerSigmas(
  levels: NoiseLevels,
  {
    sampler,
    scheduler,
    steps,
    denoise,
  }: { sampler: string; scheduler: string; steps: number; denoise: number },
): Float32Array {
  const entry = SAMPLERS[sampler];
  if (!entry) throw new Error(`there is no sampler "${sampler}"`);
  if (!entry.dropsPenultimate) return partialSchedule(scheduler, levels, steps, denoise);
  return partialSchedule(scheduler, levels, steps, denoise, (name, all, count) => {
    const longer = schedule(name, all, count + 1);
    return longer.filter((_, index) => index !== longer.length - 2);
  });
}

/** Of a schedule the steps from `start` to `end`; what comes after is taken as noise left over, or else cleared in one go. */
export function sliceSigmas(
  sigmas: Float32Array,
  { start, end, leavesNoise }: { start: number; end: number; leavesNoise: boolean },
): Float32Array {
  let kept = sigmas;
  if (end < sigmas.length - 1) {
    kept = sigmas.slice(0, end + 1);
    if (!leavesNoise) kept[kept.length - 1] = 0;
  }
  return start < kept.length - 1 ? kept.slice(start) : new Float32Array(0);
}
