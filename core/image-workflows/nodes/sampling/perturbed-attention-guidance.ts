import { perturbedAttention } from '../../models/patches/perturbed-attention.ts';
import { perturbedGuidance } from '../../sampling/guidance/perturbed-guidance.ts';
import { float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { patchNetwork } from '../model/patch-network.ts';

export const perturbedAttentionGuidance: AnyNode = node({
  name: 'PerturbedAttentionGuidance',
  category: 'model_patches/unet',
  module: 'comfy_extras.nodes_pag',
  modern: true,
  description:
    'Guides away from the prediction without the attention of the middle block, for clearer shapes. Runs the model once more at each step.',
  inputs: {
    model: link('MODEL'),
    scale: float({ default: 3.0, min: 0.0, max: 100.0, step: 0.01, round: 0.01 }),
  },
  outputs: [output('MODEL')],
  async run({ model, scale }, context) {
    if (scale === 0) return [model];
    const changed = await patchNetwork(model, perturbedAttention, context);
    const { guidance } = changed;
    const postCfg = [...guidance.postCfg, perturbedGuidance(perturbedAttention.key, { scale })];
    return [{ ...changed, guidance: { ...guidance, postCfg } }];
  },
});
