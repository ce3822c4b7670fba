/** Nodes that multiply the matrices of attention layers by factors. */

import { type AttentionScales, scaleAttention } from '../../models/adapters/attention-scales.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const factor = () => float({ default: 1.0, min: 0.0, max: 10.0, step: 0.01 });
const factors = () => ({ q: factor(), k: factor(), v: factor(), out: factor() });
const shared = {
  category: '_for_testing/attention_experiments',
  module: 'comfy_extras.nodes_attention_multiply',
  modern: true,
  experimental: true,
} as const;

/** The model with scaled matrices in the layers whose names match `attention`. */
async function scaleModel(
  model: DiffusionModel,
  attention: RegExp,
  scales: Partial<AttentionScales>,
): Promise<DiffusionModel> {
  const { graph, withGraph } = model.network;
  if (!graph || !withGraph) throw new Error('the weights of this model cannot be changed');
  return { ...model, network: withGraph(await scaleAttention(graph, attention, scales)) };
}

const unetAttention = (name: string, attention: RegExp, description: string): AnyNode =>
  node({
    name,
    ...shared,
    description,
    inputs: { model: link('MODEL'), ...factors() },
    outputs: [output('MODEL')],
    run: async ({ model, q, k, v, out }) => [await scaleModel(model, attention, { q, k, v, out })],
  });

const clipMultiply = node({
  name: 'CLIPAttentionMultiply',
  ...shared,
  description:
    'Multiplies the queries, keys, values and outputs of the attention in each text encoder of the model.',
  inputs: { clip: link('CLIP'), ...factors() },
  outputs: [output('CLIP')],
  async run({ clip, q, k, v, out }) {
    const scaled = new Map<string, ModelGraph>();
    for (const [name, graph] of clip.graphs)
      scaled.set(name, await scaleAttention(graph, /\bself_attn$/, { q, k, v, out }));
    return [clip.withGraphs(scaled)];
  },
});

/** Part of the names of blocks that attend along time. Networks for images have none. */
const TEMPORAL = 'temporal_transformer_blocks';

const temporalMultiply = node({
  name: 'UNetTemporalAttentionMultiply',
  ...shared,
  description:
    'Multiplies the outputs of the attention within images and along time. Models for images have no attention along time.',
  inputs: {
    model: link('MODEL'),
    self_structural: factor(),
    self_temporal: factor(),
    cross_structural: factor(),
    cross_temporal: factor(),
  },
  outputs: [output('MODEL')],
  async run({ model, self_structural, self_temporal, cross_structural, cross_temporal }) {
    const structural = (kind: string) => new RegExp(`^(?!.*${TEMPORAL}).*\\.${kind}$`);
    const temporal = (kind: string) => new RegExp(`${TEMPORAL}.*\\.${kind}$`);
    let changed = await scaleModel(model, structural('attn1'), { out: self_structural });
    changed = await scaleModel(changed, temporal('attn1'), { out: self_temporal });
    changed = await scaleModel(changed, structural('attn2'), { out: cross_structural });
    return [await scaleModel(changed, temporal('attn2'), { out: cross_temporal })];
  },
});

export const attentionMultiplyNodes: AnyNode[] = [
  unetAttention(
    'UNetSelfAttentionMultiply',
    /\.attn1$/,
    'Multiplies the queries, keys, values and outputs of the attention between positions of the image.',
  ),
  unetAttention(
    'UNetCrossAttentionMultiply',
    /\.attn2$/,
    'Multiplies the queries, keys, values and outputs of the attention to the prompt.',
  ),
  clipMultiply,
  temporalMultiply,
];
