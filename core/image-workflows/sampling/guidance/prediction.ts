import type { ActivePatches } from '../../values/graph-patch.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import type { Region } from './regions.ts';

/**
 * The clean latents for `x` under several lists of regions, each with its active patches. Regions of one area with the
 * same adapters run through the network together. Rejects with the signal's reason or the engine's error.
 */
export type Predict = (
  lists: readonly (readonly Region[])[],
  x: FloatTensor,
  sigma: number,
  activePatches?: readonly (ActivePatches | undefined)[],
) => Promise<FloatTensor[]>;
