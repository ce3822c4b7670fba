import { ATTENTION_MAP, attentionMap } from '../../models/patches/attention-map.ts';
import { selfAttentionGuidance } from '../../sampling/guidance/self-attention-guidance.ts';
import { float, link } from '../kernel/inputs.ts';
import { node, output } from '../kernel/node-type.ts';
import { patchNetwork } from '../model/patch-network.ts';

export const selfAttentionGuidanceNode = node({
  name: 'SelfAttentionGuidance',
  displayName: 'Self-Attention Guidance',
  category: '_for_testing',
  module: 'comfy_extras.nodes_sag',
  modern: true,
  experimental: true,
  description:
    'Guides away from the prediction for an image that is blurred where the model attends most, for finer details. Runs the model once more at each step.',
  inputs: {
    model: link('MODEL'),
    scale: float({ default: 0.5, min: -2.0, max: 5.0, step: 0.01 }),
    blur_sigma: float({ default: 2.0, min: 0.0, max: 10.0, step: 0.1 }),
  },
  outputs: [output('MODEL')],
  async run({ model, scale, blur_sigma }, context) {
    if (scale === 0) return [model];
    const changed = await patchNetwork(model, attentionMap, context);
    const { guidance } = changed;
    const postCfg = [...guidance.postCfg, selfAttentionGuidance(ATTENTION_MAP, scale, blur_sigma)];
    return [{ ...changed, guidance: { ...guidance, postCfg, capturesActivations: true } }];
  },
});
