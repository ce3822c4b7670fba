/** Changes to the inside of a network. */
import { perturbedAttention } from '../../models/patches/perturbed-attention.ts';
import { perturbedGuidance } from '../../sampling/guidance/perturbed-guidance.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { GraphPatch } from '../../values/graph-patch.ts';
import { float, link } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

/** Throws where the graph does not have, or name, what is changed. */
export async function patchNetwork(
  model: DiffusionModel,
  change: GraphPatch,
  { signal }: Pick<NodeContext, 'signal'>,
): Promise<DiffusionModel> {
  if (!model.network.withPatch) throw new Error('the inside of this model cannot be changed');
  return { ...model, network: await model.network.withPatch(change, signal) };
}

const perturbedAttentionGuidance = node({
  name: 'PerturbedAttentionGuidance',
  category: 'model_patches/unet',
  module: 'comfy_extras.nodes_pag',
  modern: true,
  description:
    'Leads away from what the network sees when the attention in its middle is switched off: clearer shapes. Asks the model once more at each step.',
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

export const perturbedAttentionNodes: AnyNode[] = [perturbedAttentionGuidance];
