/** Captures the attention map of the UNet's middle block, for self-attention guidance. */
import type { GraphPatch } from '../../values/graph-patch.ts';
import { moduleOf } from '../graphs/graph-constants.ts';
import { outputField } from '../graphs/graph-fields.ts';
import { findAttention } from './attention-nodes.ts';
import { NodeBuilder, requireOpset } from './node-builder.ts';

/**
 * Name of the output [batch, cells of the middle block]: the attention that each cell receives, as the mean over all
 * heads. 1 is the average.
 */
export const ATTENTION_MAP = 'tabd/attention map';
const WHAT = "the attention of the UNet's middle";
/** The end of a slice that extends to the end of its axis. */
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
        `${WHAT} is one operator in this model's graph, so its weights are not available: export the UNet anew with "optimum-cli export onnx --opset 17"`,
      );
    const builder = new NodeBuilder(outline, ATTENTION_MAP);
    const weights = softmax.outputs[0]!;
    // Exporters keep the heads in an axis of their own, or merge them into the batch.
    const sides = builder.slice(builder.op('Shape', [weights]), builder.ints(-2), builder.ints(END), 0);
    const shape = builder.concat(builder.sizes(query.inputs[0]!, 0, 1), builder.ints(-1), sides);
    const heads = builder.op('Reshape', [weights, shape]);
    // The sum over all cells can exceed the range of 16-bit floats.
    const mean = builder.cast(builder.reduce('ReduceMean', heads, 1), 'F32');
    const sum = builder.reduce('ReduceSum', mean, 2);
    builder.op('Squeeze', [sum, builder.ints(1, 2)], {}, ATTENTION_MAP);
    return { fields: [...builder.fields, outputField(ATTENTION_MAP, 'F32')] };
  },
};
