import type { GraphPatch } from '../../values/graph-patch.ts';
import { nodePart } from '../graphs/graph-fields.ts';
import { attentionPlaces } from './attention-nodes.ts';
import { switchInput } from './patch-switch.ts';

const KEY = 'perturbed attention';

/**
 * The map of attention is the identity: what each token gets is its own value (Ahn et al., "Self-rectifying diffusion sampling
 * with perturbed-attention guidance", 2024, equation 14).
 */
export const perturbedAttention: GraphPatch = {
  key: KEY,
  build(outline) {
    const places = attentionPlaces(outline, /^mid_block\..*\battn1$/, "the attention of the UNet's middle");
    const { input, field, feeds } = switchInput(KEY);
    return {
      fields: [field],
      insertions: places.map(({ value, out }) => ({
        at: { node: out, input: 0 },
        parts: (from, to) => [nodePart('Where', [input, value.outputs[0]!, from], [to])],
      })),
      feeds,
    };
  },
};
