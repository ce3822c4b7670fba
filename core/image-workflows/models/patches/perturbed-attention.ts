/** Perturbed attention in the UNet's middle block, as a switchable patch. */
import type { GraphPatch } from '../../values/graph-patch.ts';
import { nodeField } from '../graphs/graph-fields.ts';
import { findAttention } from './attention-nodes.ts';
import { patchSwitch } from './patch-switch.ts';

const KEY = 'perturbed attention';

/**
 * Replaces the attention map by the identity: each token gets its own value (Ahn et al., "Self-rectifying diffusion
 * sampling with perturbed-attention guidance", 2024, equation 14).
 */
export const perturbedAttention: GraphPatch = {
  key: KEY,
  build(outline) {
    const modules = findAttention(outline, /^mid_block\..*\battn1$/, "the attention of the UNet's middle");
    const { input, field, feeds } = patchSwitch(KEY);
    return {
      fields: [field],
      insertions: modules.map(({ value, out }) => ({
        at: { node: out, input: 0 },
        parts: (from, to) => [nodeField('Where', [input, value.outputs[0]!, from], [to])],
      })),
      feeds,
    };
  },
};
