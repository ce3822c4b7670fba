/** The layers of a union of control nets, which take the kind of the image (xinsir, "ControlNet++", 2024). */
import type { ValueInfo } from '#core/tensors';
import { add, multiply, quickGelu, reshape, slice, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';

/** The width of the embedding of each kind. */
const KIND_EMBEDDING = 256;

export interface ControlUnion {
  inputs: ValueInfo[];
  /** The embedding of the timestep, with that of the kind. */
  embedding: Value;
  /** The hint, changed according to its kind. Without a kind it is unchanged. */
  hint: Value;
}

/**
 * Undefined for a control net of one kind.
 * @param embedding that of the timestep
 * @param hint [batch, channels, height, width], in the size of the latent
 */
export function controlUnion(net: NetworkModule, embedding: Value, hint: Value): ControlUnion | undefined {
  const added = net.at('control_add_embedding');
  if (!added.exists()) return undefined;
  const [, width = 0] = added.at('linear_1').shape();
  const kinds = width / KIND_EMBEDDING;
  const numbers = sinusoid(added, reshape(added, 'control_type', -1), KIND_EMBEDDING);
  const kind = embeddingLayers(added, reshape(added, numbers, -1, width));
  return {
    inputs: [{ name: 'control_type', type: 'float32', shape: ['batch', kinds] }],
    embedding: add(net, embedding, kind),
    hint: add(net, hint, shift(net, hint)),
  };
}

/** A number for each channel: that of the kind's token after the transformer. 0 without a kind. */
function shift(net: NetworkModule, hint: Value): Value {
  const task = net.op('MatMul', ['control_type', net.parameter('task_embedding')]);
  let token = add(net, net.op('ReduceMean', [hint], { axes: [2, 3], keepdims: 0 }), task);
  // The published files spell the name of these layers so.
  for (const layer of net.list('transformer_layes')) {
    token = add(layer, token, loneAttention(layer.at('attn'), layerNorm(layer.at('ln_1'), token)));
    const inner = quickGelu(layer, linear(layer.at('mlp.c_fc'), layerNorm(layer.at('ln_2'), token)));
    token = add(layer, token, linear(layer.at('mlp.c_proj'), inner));
  }
  const hasKind = net.op('ReduceSum', ['control_type', net.graph.int64Initializer([1])], { keepdims: 1 });
  const channels = multiply(net, linear(net.at('spatial_ch_projs'), token), hasKind);
  return net.op('Unsqueeze', [channels, net.graph.int64Initializer([2, 3])]);
}

/** A token that attends to itself alone gets its own value: the last of the three projections in one matrix. */
function loneAttention(m: NetworkModule, x: Value): Value {
  const [rows = 0] = m.shape('in_proj_weight');
  const joint = m.op('MatMul', [x, transpose(m, m.parameter('in_proj_weight'), 1, 0)]);
  const value = slice(m, add(m, joint, m.parameter('in_proj_bias')), -1, (2 * rows) / 3, rows);
  return linear(m.at('out_proj'), value);
}
