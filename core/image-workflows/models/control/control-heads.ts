import type { UnetOptions } from '../families/unet/unet-blocks.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';

/** The width of the prompts of Stable Diffusion 1. */
const SD1_CONTEXT = 768;

/** Stable Diffusion 1 has 8 heads on all levels. Those of the later models have 64 numbers each. */
export function headsOf(weights: WeightTable): UnetOptions {
  for (const [name, { shape }] of weights)
    if (name.endsWith('.attn2.to_k.weight') && shape[1] === SD1_CONTEXT) return { heads: 8 };
  return { headWidth: 64 };
}
