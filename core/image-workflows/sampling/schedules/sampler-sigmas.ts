import type { NoiseLevels } from '../../values/noise-levels.ts';
import { SAMPLERS } from '../samplers/samplers.ts';
import { partialSchedule, schedule } from './schedulers.ts';

/** @throws for unknown names of samplers and schedulers. */
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

/**
 * The steps from `start` to `end` of a schedule. Without `leavesNoise`, the last of them removes all remaining noise.
 */
export function sliceSigmas(
  sigmas: Float32Array,
  { start, end, leavesNoise }: { start: number; end: number; leavesNoise: boolean },
): Float32Array {
  let levels = sigmas;
  if (end < sigmas.length - 1) {
    levels = sigmas.slice(0, end + 1);
    if (!leavesNoise) levels[levels.length - 1] = 0;
  }
  return start < levels.length - 1 ? levels.slice(start) : new Float32Array(0);
}
