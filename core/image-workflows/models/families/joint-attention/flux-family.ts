/** Flux.1 and Chroma, in the original layout and in that of diffusers. */
import { denoiserOf } from '../../networks/open-denoiser.ts';
import { hasPrefix, type WeightTable } from '../../weight-files/weight-table.ts';
import type { NetworkFamily } from '../network-family.ts';
import { fluxGraph } from './flux-graph.ts';
import { originalTransformer } from './original-transformer-weights.ts';

const FLOW = { _class_name: 'FlowMatchEulerDiscreteScheduler' };

export const fluxFamily: NetworkFamily = {
  name: 'Flux',
  isIn: (table) => isOriginal(table) || isDiffusers(table),
  async open({ graphs, table }) {
    const weights = isOriginal(table) ? originalTransformer('flux', table) : table;
    const order = isOriginal(table) ? 'shift scale' : 'scale shift';
    const graph = graphs.graph('transformer', weights, () => fluxGraph(weights, { order }));
    const isChroma = hasPrefix(weights, 'distilled_guidance_layer.');
    const isDynamic = isChroma || hasPrefix(weights, 'time_text_embed.guidance_embedder.');
    const [, inputs = 64] = weights.get('x_embedder.weight')?.shape ?? [];
    const [outputs = 64] = weights.get('proj_out.weight')?.shape ?? [];
    const model = await denoiserOf({
      kind: 'flux',
      graph,
      config: { in_channels: inputs, out_channels: outputs },
      scheduler: isDynamic ? { ...FLOW, use_dynamic_shifting: true, max_shift: 1.15 } : { ...FLOW, shift: 1 },
      vae: {},
    });
    return { model, encoders: isChroma ? ['pixart-t5xxl'] : ['flux-l', 'flux-t5xxl'], combination: 'flux' };
  },
};

const isOriginal = (table: WeightTable): boolean =>
  table.has('double_blocks.0.img_attn.norm.key_norm.scale') && table.has('img_in.weight');

const isDiffusers = (table: WeightTable): boolean =>
  table.has('transformer_blocks.0.attn.add_q_proj.weight') &&
  table.has('single_transformer_blocks.0.attn.to_q.weight') &&
  table.has('x_embedder.weight');
