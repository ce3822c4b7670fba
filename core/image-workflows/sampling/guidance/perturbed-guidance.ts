import type { ActivePatches } from '../../values/graph-patch.ts';
import type { PostCfg } from '../../values/guidance.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { combine } from '../tensor-math.ts';

export interface PerturbedGuidanceOptions {
  scale: number;
  /** The noise levels at which it is active, both included. Default: all. */
  levels?: { highest: number; lowest: number };
  /** 0 to 1: how far the standard deviation of the result is brought to that of `cond`. Default: 0. */
  rescale?: number;
}

/**
 * Guides away from the prediction of a perturbed network: denoised + scale (cond - perturbed) (Ahn et al.,
 * "Self-rectifying diffusion sampling with perturbed-attention guidance", 2024, equation 11).
 *
 * @param key the key of the graph patch that perturbs the network.
 */
export function perturbedGuidance(
  key: string,
  { scale, levels, rescale = 0 }: PerturbedGuidanceOptions,
): PostCfg {
  const active: ActivePatches = { switches: new Set([key]) };
  const postCfg: PostCfg = async ({ x, sigma, cond, denoised }, pass) => {
    if (levels && (sigma > levels.highest || sigma < levels.lowest)) return denoised;
    const perturbed = await pass('cond', x, active);
    const guided = combine([1, denoised], [scale, cond], [-scale, perturbed]);
    const deviation = rescale === 0 ? 0 : standardDeviation(guided);
    if (deviation === 0) return guided;
    return combine([1 - rescale + (rescale * standardDeviation(cond)) / deviation, guided]);
  };
  return Object.assign(postCfg, { ignoresUncond: true } as const);
}

/** The standard deviation of all elements of the batch. */
function standardDeviation({ data }: FloatTensor): number {
  let sum = 0;
  for (const value of data) sum += value;
  const mean = sum / data.length;
  let squares = 0;
  for (const value of data) squares += (value - mean) ** 2;
  return Math.sqrt(squares / data.length);
}
