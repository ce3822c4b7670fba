/** The transformer of Stable Audio (Evans et al., "Stable Audio Open", 2024, section 2.3) as an ONNX model. */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import {
  add,
  concat,
  dimensions,
  multiply,
  reshape,
  scaled,
  silu,
  slice,
  transpose,
} from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';

const HEAD_WIDTH = 64;

/**
 * Inputs: `hidden_states` [batch, channels, cells], `timestep` [1], `encoder_hidden_states` [batch, tokens, width],
 * `global_embeds` [batch, width].
 * Output: `out_sample`, as `hidden_states`.
 * @param weights by the names of original files
 * @throws ModelUnsupported when weights are missing
 */
export function stableAudioGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { graph } = root;
  const [, channels = 0] = root.at('preprocess_conv').shape();
  const [, textWidth = 0] = root.at('to_cond_embed.0').shape();
  const [, globalWidth = 0] = root.at('to_global_embed.0').shape();
  const context = embedding(root.at('to_cond_embed'), 'encoder_hidden_states');
  const both = add(root, embedding(root.at('to_global_embed'), 'global_embeds'), timeEmbedding(root));
  const transformer = root.at('transformer');
  const tokens = transpose(root, filtered(root.at('preprocess_conv'), 'hidden_states'), 0, 2, 1);
  const first = withAxis(root, both);
  let x = concat(root, 1, first, linear(transformer.at('project_in'), tokens));
  const rotation = positions(transformer, x);
  for (const m of transformer.list('layers')) x = layer(m, x, context, rotation);
  const cells = dimensions(root, x, 1, 2);
  // The first token stands for the time and the length.
  const rest = root.op('Slice', [x, graph.int64Initializer([1]), cells, graph.int64Initializer([1])]);
  const output = transpose(root, linear(transformer.at('project_out'), rest), 0, 2, 1);
  graph.node('Identity', [filtered(root.at('postprocess_conv'), output)], {}, 'out_sample');
  const sample = ['batch', channels, 'cells'];
  return graph.buildModel(
    [
      { name: 'hidden_states', type: 'float32', shape: sample },
      { name: 'timestep', type: 'float32', shape: [1] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'tokens', textWidth] },
      { name: 'global_embeds', type: 'float32', shape: ['batch', globalWidth] },
    ],
    [{ name: 'out_sample', type: 'float32', shape: sample }],
  );
}

const withAxis = (m: NetworkModule, x: Value): Value => m.op('Unsqueeze', [x, m.graph.int64Initializer([1])]);

const embedding = (m: NetworkModule, x: Value): Value => linear(m.at('2'), silu(m, linear(m.at('0'), x)));

/** Tancik et al., "Fourier features let networks learn high frequency functions", 2020: cosines, then sines. */
function timeEmbedding(root: NetworkModule): Value {
  const features = root.at('timestep_features');
  const row = transpose(features, features.parameter(), 1, 0);
  const angles = scaled(features, multiply(features, reshape(features, 'timestep', 1, 1), row), 2 * Math.PI);
  const waves = concat(features, -1, features.op('Cos', [angles]), features.op('Sin', [angles]));
  return embedding(root.at('to_timestep_embed'), waves);
}

/** x with a mixture of its channels added. */
function filtered(m: NetworkModule, x: Value): Value {
  return add(m, m.op('Conv', [x, m.parameter()], { kernel_shape: [1] }), x);
}

interface Rotation {
  cosines: Value;
  sines: Value;
}

/** The angles of all positions: [tokens, half of the part of a head that turns] each. */
function positions(m: NetworkModule, x: Value): Rotation {
  const { graph } = m;
  const scalar = (value: number) => graph.int64Initializer([value], true);
  const count = m.op('Squeeze', [dimensions(m, x, 1, 2), graph.int64Initializer([0])]);
  const numbers = m.op('Cast', [m.op('Range', [scalar(0), count, scalar(1)])], { to: 1 });
  const angles = multiply(m, withAxis(m, numbers), m.at('rotary_pos_emb').parameter('inv_freq'));
  return { cosines: m.op('Cos', [angles]), sines: m.op('Sin', [angles]) };
}

function layer(m: NetworkModule, x: Value, context: Value, rotation: Rotation): Value {
  const self = add(m, x, selfAttention(m.at('self_attn'), norm(m.at('pre_norm'), x), rotation));
  const query = norm(m.at('cross_attend_norm'), self);
  const seen = add(m, self, crossAttention(m.at('cross_attn'), query, context));
  return add(m, seen, feedForward(m.at('ff.ff'), norm(m.at('ff_norm'), seen)));
}

const norm = (m: NetworkModule, x: Value): Value =>
  m.op('LayerNormalization', [x, m.parameter('gamma'), ...(m.has('beta') ? [m.parameter('beta')] : [])], {
    axis: -1,
    epsilon: { float: 1e-5 },
  });

/** The parts of equal width along the last axis. */
const parts = (m: NetworkModule, x: Value, count: number, width: number): Value[] =>
  Array.from({ length: count }, (_, at) => slice(m, x, -1, at * width, (at + 1) * width));

function selfAttention(m: NetworkModule, x: Value, { cosines, sines }: Rotation): Value {
  const width = m.at('to_qkv').shape()[0]! / 3;
  const heads = width / HEAD_WIDTH;
  const [query, key, value] = parts(m, linear(m.at('to_qkv'), x), 3, width) as [Value, Value, Value];
  const [angles = 0] = m.graph.tensor('transformer.rotary_pos_emb.inv_freq').shape;
  const turned = (heading: Value) =>
    m.op('com.microsoft.RotaryEmbedding', [heading, m.graph.int64Initializer([0]), cosines, sines], {
      num_heads: heads,
      rotary_embedding_dim: 2 * angles,
    });
  return linear(m.at('to_out'), attend(m, [turned(query), turned(key), value], width, { heads }));
}

/** Several query heads share the keys and values of one head (Ainslie et al., "GQA", 2023). */
function crossAttention(m: NetworkModule, x: Value, context: Value): Value {
  const [width = 0] = m.at('to_q').shape();
  const shared = m.at('to_kv').shape()[0]! / 2;
  const each = width / shared;
  const forHeads = (value: Value) => {
    if (each === 1) return value;
    const heads = m.op('Unsqueeze', [reshape(m, value, 0, 0, -1, HEAD_WIDTH), m.graph.int64Initializer([3])]);
    const repeated = concat(m, 3, ...Array<Value>(each).fill(heads));
    return reshape(m, repeated, 0, 0, width);
  };
  const [key, value] = parts(m, linear(m.at('to_kv'), context), 2, shared).map(forHeads) as [Value, Value];
  const mixed = attend(m, [linear(m.at('to_q'), x), key, value], width, { heads: width / HEAD_WIDTH });
  return linear(m.at('to_out'), mixed);
}

/** Shazeer, "GLU variants improve Transformer", 2020, with SiLU. */
function feedForward(m: NetworkModule, x: Value): Value {
  const gated = m.at('0.proj');
  const [value, gate] = parts(m, linear(gated, x), 2, gated.shape()[0]! / 2) as [Value, Value];
  return linear(m.at('2'), multiply(m, value, silu(m, gate)));
}
