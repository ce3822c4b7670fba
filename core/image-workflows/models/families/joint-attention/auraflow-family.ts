/** AuraFlow, in the original layout and in that of diffusers. */
import { tableSide } from '../../layers/table-positions.ts';
import { denoiserOf } from '../../networks/open-denoiser.ts';
import { PATCH_SIZE } from '../../networks/packed-tokens.ts';
import type { NetworkFamily } from '../network-family.ts';
import { auraFlowGraph } from './auraflow-graph.ts';
import { originalTransformer } from './original-transformer-weights.ts';

const ORIGINAL = 'double_layers.0.attn.w1q.weight';
const DIFFUSERS = 'joint_transformer_blocks.0.attn.add_k_proj.weight';

export const auraFlowFamily: NetworkFamily = {
  name: 'AuraFlow',
  isIn: (table) => table.has(ORIGINAL) || table.has(DIFFUSERS),
  async open({ graphs, table }) {
    const isOriginal = table.has(ORIGINAL);
    const weights = isOriginal ? originalTransformer('auraflow', table) : table;
    const order = isOriginal ? 'shift scale' : 'scale shift';
    const graph = graphs.graph('transformer', weights, () => auraFlowGraph(weights, order));
    const [, features = 16] = weights.get('pos_embed.proj.weight')?.shape ?? [];
    const side = tableSide(weights);
    const model = await denoiserOf({
      kind: 'sd3',
      graph,
      config: { in_channels: features / 4 },
      ...(side !== undefined && { largestSide: side * PATCH_SIZE }),
      scheduler: { _class_name: 'FlowMatchEulerDiscreteScheduler', shift: 1.73 },
      flowTime: 1,
      // Its latents are those of SDXL.
      vae: { latent_channels: 4, scaling_factor: 0.13025, shift_factor: 0 },
    });
    return { model, encoders: ['auraflow-pile-t5xl'], combination: 'concat' };
  },
};
