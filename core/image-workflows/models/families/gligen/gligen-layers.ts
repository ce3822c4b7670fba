/** Layers by which a UNet sees boxes (Li et al., "GLIGEN: open-set grounded text-to-image generation", 2023, section 3). */
import type { ValueInfo } from '#core/tensors';
import { attention } from '../../layers/attention.ts';
import { add, concat, dimensions, multiply, reshape, silu } from '../../layers/elementary.ts';
import { gatedFeedForward } from '../../layers/feed-forward.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';

/** The published models were trained with this many boxes. */
const BOXES = 30;
/** Frequencies of the coordinates, which are the powers of 100 from 0 to 1. */
const FREQUENCIES = 8;
const LARGEST = 100;
const CORNERS = 4;

/** A token for each box [batch, boxes, width], from the inputs `boxes`, `positive_embeddings` and `masks`. */
export function boxTokens(root: NetworkModule): { objects: Value; inputs: ValueInfo[] } | undefined {
  const net = root.at('position_net');
  if (!net.exists()) return undefined;
  const masks = net.op('Unsqueeze', ['masks', net.graph.int64Initializer([-1])]);
  const without = net.op('Sub', [net.graph.scalarInitializer(1), masks]);
  const masked = (value: Value, nothing: string) =>
    add(net, multiply(net, value, masks), multiply(net, net.parameter(nothing), without));
  const phrases = masked('positive_embeddings', 'null_positive_feature');
  const places = masked(coordinateWaves(net), 'null_position_feature');
  let objects = linear(net.at('linears.0'), concat(net, -1, phrases, places));
  for (const layer of ['linears.2', 'linears.4']) objects = linear(net.at(layer), silu(net, objects));
  const [width = 0] = net.shape('null_positive_feature');
  return {
    objects,
    inputs: [
      { name: 'boxes', type: 'float32', shape: ['batch', BOXES, CORNERS] },
      { name: 'positive_embeddings', type: 'float32', shape: ['batch', BOXES, width] },
      { name: 'masks', type: 'float32', shape: ['batch', BOXES] },
    ],
  };
}

/** Sines and cosines of the corners at each frequency: [batch, boxes, frequencies · 2 · corners]. */
function coordinateWaves(net: NetworkModule): Value {
  const frequencies = Array.from({ length: FREQUENCIES }, (_, at) => LARGEST ** (at / FREQUENCIES));
  const column = net.constant('frequencies', [FREQUENCIES, 1], frequencies);
  const angles = multiply(net, reshape(net, 'boxes', 0, 0, 1, CORNERS), column);
  const waves = concat(net, -1, net.op('Sin', [angles]), net.op('Cos', [angles]));
  return reshape(net, waves, 0, 0, FREQUENCIES * 2 * CORNERS);
}

/** The tokens of an image see those of the boxes, as much as the learned gates let them. */
export function gatedAttention(m: NetworkModule, tokens: Value, objects: Value, heads: number): Value {
  const gated = (gate: string, change: Value) => multiply(m, change, m.op('Tanh', [m.parameter(gate)]));
  const joined = concat(m, 1, tokens, linear(m.at('linear'), objects));
  const normed = layerNorm(m.at('norm1'), joined);
  const all = attention(m.at('attn'), normed, normed, { heads });
  const int = (value: number) => m.graph.int64Initializer([value]);
  const own = m.op('Slice', [all, int(0), dimensions(m, tokens, 1, 2), int(1)]);
  const seen = add(m, tokens, gated('alpha_attn', own));
  return add(m, seen, gated('alpha_dense', gatedFeedForward(m.at('ff'), layerNorm(m.at('norm2'), seen))));
}
