/** The vision encoder DINOv2 (Oquab et al., "DINOv2: learning robust visual features without supervision", 2023). */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { attend } from '../layers/attention.ts';
import { add, concat, dimensions, gelu, multiply, reshape, slice } from '../layers/elementary.ts';
import { siluGate } from '../layers/feed-forward.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule, type Value } from '../layers/network-module.ts';
import { layerNorm } from '../layers/norms.ts';
import { cellsToTokens, patchesOf } from '../layers/patches.ts';
import { PENULTIMATE } from './vision-graph.ts';

const HEAD_WIDTH = 64;
const EPSILON = 1e-6;

/**
 * Input: `pixel_values` [batch, 3, size, size]. Outputs: `last_hidden_state` and `penultimate_hidden_state` [batch, tokens,
 * width], and `image_embeds` [batch, width]: the token of the class.
 * @param weights by their names in transformers
 * @throws ModelUnsupported when weights are missing
 */
export function dinoGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const root = new NetworkModule(graph);
  const embeddings = root.at('embeddings');
  const patch = embeddings.at('patch_embeddings.projection');
  const [width = 0, , kernel = 0] = patch.shape();
  const [, positions = 1] = embeddings.shape('position_embeddings');
  const size = Math.round(Math.sqrt(positions - 1)) * kernel;
  let x = tokens(embeddings, cellsToTokens(embeddings, patchesOf(patch, 'pixel_values')), width);
  let penultimate = x;
  for (const m of root.list('encoder.layer')) {
    penultimate = x;
    const seen = add(
      m,
      x,
      scaledBy(m.at('layer_scale1'), selfAttention(m.at('attention'), normed(m, 'norm1', x), width)),
    );
    x = add(m, seen, scaledBy(m.at('layer_scale2'), feedForward(m.at('mlp'), normed(m, 'norm2', seen))));
  }
  const last = normed(root, 'layernorm', x);
  const outputs: ValueInfo[] = [];
  const output = (value: Value, name: string, shape: ValueInfo['shape']) => {
    graph.node('Identity', [value], {}, name);
    outputs.push({ name, type: 'float32', shape });
  };
  output(last, 'last_hidden_state', ['batch', 'tokens', width]);
  output(penultimate, PENULTIMATE, ['batch', 'tokens', width]);
  output(reshape(root, slice(root, last, 1, 0, 1), -1, width), 'image_embeds', ['batch', width]);
  return graph.buildModel(
    [{ name: 'pixel_values', type: 'float32', shape: ['batch', 3, size, size] }],
    outputs,
  );
}

const normed = (m: NetworkModule, name: string, x: Value): Value => layerNorm(m.at(name), x, EPSILON);

const scaledBy = (m: NetworkModule, x: Value): Value => multiply(m, x, m.parameter('lambda1'));

/** The token of the class, those of the squares of pixels, and their positions. */
function tokens(m: NetworkModule, squares: Value, width: number): Value {
  const batch = dimensions(m, squares, 0, 1);
  const sides = m.op('Concat', [batch, m.graph.int64Initializer([1, width])], { axis: 0 });
  const token = m.op('Expand', [m.parameter('cls_token'), sides]);
  return add(m, concat(m, 1, token, squares), m.parameter('position_embeddings'));
}

function selfAttention(m: NetworkModule, x: Value, width: number): Value {
  const [query, key, value] = ['query', 'key', 'value'].map((name) =>
    linear(m.at(`attention.${name}`), x),
  ) as [Value, Value, Value];
  return linear(m.at('output.dense'), attend(m, [query, key, value], width, { heads: width / HEAD_WIDTH }));
}

/** The largest encoder has a gated layer. */
function feedForward(m: NetworkModule, x: Value): Value {
  const gated = m.at('weights_in');
  if (!gated.exists()) return linear(m.at('fc2'), gelu(m, linear(m.at('fc1'), x)));
  return linear(m.at('weights_out'), siluGate(gated, linear(gated, x), gated.shape()[0]! / 2));
}
