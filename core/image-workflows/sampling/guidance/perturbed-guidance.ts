import type { ActivePatches } from '../../values/graph-patch.ts';
import type { PostCfg } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';

export interface PerturbedGuidanceOptions {
  scale: number;
  /** The noise levels at which it is done, both included. Default: all. */
  levels?: { highest: number; lowest: number };
  /** The share, 0 to 1, to which the result is to spread as widely as what is seen of the prompt. Default: 0. */
  rescale?: number;
}

/**
 * Leads away from what the model sees of its prompt with one change to its inside on: denoised + scale (cond - changed), as Ahn
 * et al., "Self-rectifying diffusion sampling with perturbed-attention guidance", 2024, equation 11.
 */
export function perturbedGuidance(
  key: string,
  { scale, levels: between, rescale: spread = 0 }: PerturbedGuidanceOptions,
): PostCfg {
  const inForce: ActivePatches = { switches: new Set([key]) };
  const change: PostCfg = async ({ x, sigma, cond, denoised }, ask) => {
    if (between && (sigma > between.highest || sigma < between.lowest)) return denoised;
    const led = combine([1, denoised], [scale, cond], [-scale, await ask('with', x, inForce)]);
    const width = spread === 0 ? 0 : deviation(led);
    return width === 0 ? led : combine([1 - spread + (spread * deviation(cond)) / width, led]);
  };
  return Object.assign(change, { ignoresUncond: true } as const);
}

/** The standard deviation of all numbers. */
function deviation({ data }: FloatTensor): number {
  let sum = 0;
  for (const value of data) sum += value;
  const mean = sum / data.length;
  let squares = 0;
  for (const value of data) squares += (value - mean) ** 2;
  return Math.sqrt(squares / data.length);
}
