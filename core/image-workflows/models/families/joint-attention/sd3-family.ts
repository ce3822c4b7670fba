/** Stable Diffusion 3 and 3.5, in the original layout and in that of diffusers. */
import { tableSide } from '../../layers/table-positions.ts';
import { denoiserOf } from '../../networks/open-denoiser.ts';
import { PATCH_SIZE } from '../../networks/packed-tokens.ts';
import type { NetworkFamily } from '../network-family.ts';
import { originalTransformer } from './original-transformer-weights.ts';
import { sd3Graph } from './sd3-graph.ts';

const ORIGINAL = 'joint_blocks.0.context_block.attn.qkv.weight';
const DIFFUSERS = ['transformer_blocks.0.attn.add_q_proj.weight', 'pos_embed.proj.weight'];

export const sd3Family: NetworkFamily = {
  name: 'Stable Diffusion 3',
  isIn: (table) => table.has(ORIGINAL) || DIFFUSERS.every((name) => table.has(name)),
  async open({ graphs, table }) {
    const isOriginal = table.has(ORIGINAL);
    const weights = isOriginal ? originalTransformer('sd3', table) : table;
    const order = isOriginal ? 'shift scale' : 'scale shift';
    const graph = graphs.graph('transformer', weights, () => sd3Graph(weights, { order }));
    const [, channels = 16] = weights.get('pos_embed.proj.weight')?.shape ?? [];
    const [, textWidth = 4096] = weights.get('context_embedder.weight')?.shape ?? [];
    const side = tableSide(weights);
    const model = await denoiserOf({
      kind: 'sd3',
      graph,
      config: { in_channels: channels, joint_attention_dim: textWidth },
      ...(side !== undefined && { largestSide: side * PATCH_SIZE }),
      scheduler: { _class_name: 'FlowMatchEulerDiscreteScheduler', shift: 3 },
      vae: {},
    });
    return { model, encoders: ['sd3-l', 'sd3-g', 'sd3-t5xxl'], combination: 'sd3' };
  },
};
