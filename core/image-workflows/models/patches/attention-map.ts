import type { GraphPatch } from '../../values/graph-patch.ts';
import { moduleOf } from '../graphs/graph-constants.ts';
import { outputField } from '../graphs/graph-fields.ts';
import { findAttention } from './attention-nodes.ts';
import { NodeBuilder, requireOpset } from './node-builder.ts';

/** [batch, places of the middle]: 1 where a place is looked at as much as others are, on average of the heads. */
export const ATTENTION_MAP = 'tabd/attention map';
const WHAT = "the attention of the UNet's middle";
/** Later than every end. */
const END = 2 ** 31 - 1;

/** Hong et al., "Improving sample quality of diffusion models using self-attention guidance", 2023, equation 9. */
export const attentionMap: GraphPatch = {
  key: 'attention map',
  outputs: [ATTENTION_MAP],
  build(outline) {
    requireOpset(outline, 'SelfAttentionGuidance');
    const [{ module, query }] = findAttention(
      outline,
      /^mid_block\.attentions\.0\.transformer_blocks\.0\.attn1$/,
      WHAT,
    );
    const softmax = outline.nodes.find((node) => node.operator === 'Softmax' && moduleOf(node) === module);
    if (!softmax)
      throw new Error(
        `${WHAT} is one operator in this model's graph, whose inside is not to be had: export the UNet anew with "optimum-cli export onnx --opset 17"`,
      );
    const chain = new NodeBuilder(outline, ATTENTION_MAP);
    const weights = softmax.outputs[0]!;
    // Heads lie beside the batch, or in it.
    const sides = chain.slice(chain.op('Shape', [weights]), chain.ints(-2), chain.ints(END), 0);
    const shape = chain.concat(chain.sizes(query.inputs[0]!, 0, 1), chain.ints(-1), sides);
    const heads = chain.op('Reshape', [weights, shape]);
    // The sum over places is too large for 16 bits.
    const mean = chain.cast(chain.reduce('ReduceMean', heads, 1), 'F32');
    const sum = chain.reduce('ReduceSum', mean, 2);
    chain.op('Squeeze', [sum, chain.ints(1, 2)], {}, ATTENTION_MAP);
    return { fields: [...chain.fields, outputField(ATTENTION_MAP, 'F32')] };
  },
};
