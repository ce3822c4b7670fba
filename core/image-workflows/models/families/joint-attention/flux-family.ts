/** Flux.1, Chroma, Ovis-Image and LongCat-Image, in the original layout and in that of diffusers. */
import { denoiserOf } from '../../networks/open-denoiser.ts';
import { fluxLayoutOf } from '../../networks/transformer-layouts.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import type { NetworkFamily } from '../network-family.ts';
import { fluxGraph } from './flux-graph.ts';
import { fluxOriginal, fluxVariant, sharedFluxNames } from './flux-variants.ts';
import { originalTransformer } from './original-transformer-weights.ts';

const FLOW = { _class_name: 'FlowMatchEulerDiscreteScheduler' };

export const fluxFamily: NetworkFamily = {
  name: 'Flux',
  isIn: (table) => isOriginal(table) || isDiffusers(table),
  async open({ graphs, table }) {
    const original = isOriginal(table);
    const weights = original ? originalTransformer(fluxOriginal(table), table) : sharedFluxNames(table);
    const order = original ? 'shift scale' : 'scale shift';
    const graph = graphs.graph('transformer', weights, () => fluxGraph(weights, { order }));
    const { shift, encoders, combination, places } = fluxVariant(weights);
    const [, inputs = 64] = weights.get('x_embedder.weight')?.shape ?? [];
    const [outputs = 64] = weights.get('proj_out.weight')?.shape ?? [];
    const model = await denoiserOf({
      kind: 'flux',
      graph,
      config: { in_channels: inputs, out_channels: outputs },
      scheduler: {
        ...FLOW,
        ...('mu' in shift ? { use_dynamic_shifting: true, max_shift: shift.mu } : { shift: shift.factor }),
      },
      vae: {},
      layout: fluxLayoutOf(places),
    });
    return { model, encoders, combination };
  },
};

const isOriginal = (table: WeightTable): boolean =>
  ['scale', 'weight'].some((name) => table.has(`double_blocks.0.img_attn.norm.key_norm.${name}`)) &&
  table.has('img_in.weight');

const isDiffusers = (table: WeightTable): boolean =>
  table.has('transformer_blocks.0.attn.add_q_proj.weight') &&
  table.has('single_transformer_blocks.0.attn.to_q.weight') &&
  table.has('x_embedder.weight');
