/**
 * The transformer of Mochi 1 as an ONNX model: joint attention of videos and texts, whose tokens have different widths.
 * Source: Genmo, "Mochi 1", 2024 (https://github.com/genmoai/mochi, Apache-2.0), as diffusers computes it.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, concat, multiply, reshape, scaled, silu, slice, transpose } from '../../layers/elementary.ts';
import { siluGate } from '../../layers/feed-forward.ts';
import { joinProjected, type Projected, splitTokens } from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import { modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { plainRmsNorm, rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotate } from '../../layers/rotary.ts';
import { sinusoid } from '../../layers/timestep-embedding.ts';

const SINUSOID = 256;
/** The network counts the share of the video in thousandths. */
const TIME_UNIT = 1000;
/** Heads of the pooled text. */
const POOL_HEADS = 8;
/** In the norms of queries and keys. */
const HEAD_EPSILON = 1e-5;
const AXES = 3;

/**
 * Inputs:
 * - `hidden_states` [batch, cells, features]: patches of the latent, channel by channel;
 * - `timestep` [1]: the share of noise, 0 to 1;
 * - `encoder_hidden_states` [batch, tokens, width]: the tokens that are seen;
 * - `positions` [cells, 3]: frame, row and column.
 *
 * Output: `out_hidden_states` [batch, cells, features], the channels of each cell next to each other.
 * @throws ModelUnsupported when weights are missing
 */
export function mochiGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0, ...patch] = root.at('x_embedder.proj').shape();
  const features = patch.reduce((product, side) => product * side, 1);
  const [, textWidth = 0] = root.at('t5_yproj').shape();
  const condition = silu(
    root,
    add(root, timeEmbedding(root), pooledText(root.at('t5_y_embedder'), textWidth)),
  );
  const turn = turns(root, width);
  let streams: Streams = {
    video: patchEmbedding(root.at('x_embedder.proj'), width, features),
    text: linear(root.at('t5_yproj'), 'encoder_hidden_states'),
  };
  for (const m of root.list('blocks')) streams = block(m, streams, { condition, turn, width });
  const last = root.at('final_layer');
  const [shift, scale] = parts(last, linear(last.at('mod'), condition), width);
  const normed = modulate(last, plainNorm(last, streams.video, width), shift!, scale!);
  // The network predicts the way from noise to the video, and samplers take the opposite.
  root.graph.node('Neg', [linear(last.at('linear'), normed)], {}, 'out_hidden_states');
  const float = (name: string, ...shape: (string | number)[]) => ({ name, type: 'float32' as const, shape });
  return root.graph.buildModel(
    [
      float('hidden_states', 'batch', 'cells', features),
      float('timestep', 1),
      float('encoder_hidden_states', 'batch', 'tokens', textWidth),
      float('positions', 'cells', AXES),
    ],
    [float('out_hidden_states', 'batch', 'cells', last.at('linear').shape()[0]!)],
  );
}

interface Streams {
  video: Value;
  text: Value;
}
interface Shared {
  /** [batch, width], after its activation. */
  condition: Value;
  turn: Rotation;
  width: number;
}

function timeEmbedding(root: NetworkModule): Value {
  const m = root.at('t_embedder.mlp');
  const share = m.op('Sub', [m.graph.scalarInitializer(1), 'timestep']);
  const sines = sinusoid(m, scaled(m, share, TIME_UNIT), SINUSOID);
  return linear(m.at('2'), silu(m, linear(m.at('0'), sines)));
}

/** Attention of the mean token to itself and all tokens: [batch, width]. */
function pooledText(m: NetworkModule, width: number): Value {
  const mean = m.op('ReduceMean', ['encoder_hidden_states'], { axes: [1], keepdims: 1 });
  const both = linear(m.at('to_kv'), concat(m, 1, mean, 'encoder_hidden_states'));
  const [keys, values] = [slice(m, both, -1, 0, width), slice(m, both, -1, width, 2 * width)];
  const pooled = attend(m, [linear(m.at('to_q'), mean), keys, values], width, { heads: POOL_HEADS });
  const result = linear(m.at('to_out'), pooled);
  return m.op('Squeeze', [result, m.graph.int64Initializer([1])]);
}

/** The angles of all heads follow from the positions by learned frequencies. */
function turns(root: NetworkModule, width: number): Rotation {
  const frequencies = reshape(root, root.parameter('pos_frequencies'), AXES, width / 2);
  const angles = root.op('MatMul', ['positions', frequencies]);
  return { cosines: root.op('Cos', [angles]), sines: root.op('Sin', [angles]) };
}

/** The convolution of patches that do not overlap is a product. */
function patchEmbedding(m: NetworkModule, width: number, features: number): Value {
  const matrix = transpose(m, reshape(m, m.parameter(), width, features), 1, 0);
  return add(m, m.op('MatMul', ['hidden_states', matrix]), m.parameter('bias'));
}

/** Equal parts of a modulation: [batch, 1, width] each. */
function parts(m: NetworkModule, all: Value, width: number, count = 2): Value[] {
  const rows = m.op('Unsqueeze', [all, m.graph.int64Initializer([1])]);
  return Array.from({ length: count }, (_, at) => slice(m, rows, -1, at * width, (at + 1) * width));
}

/** The last block does not change the text. */
function block(m: NetworkModule, { video, text }: Streams, { condition, turn, width }: Shared): Streams {
  const textWidth = m.at('attn.qkv_y').shape()[1]!;
  const changesText = m.at('mod_y').shape()[0]! > textWidth;
  const [scale, gate, lastScale, lastGate] = parts(m, linear(m.at('mod_x'), condition), width, 4);
  const [textScale, textGate, lastTextScale, lastTextGate] = parts(
    m,
    linear(m.at('mod_y'), condition),
    textWidth,
    changesText ? 4 : 1,
  );
  const attention = m.at('attn');
  const ofVideo = projected(attention, 'x', scaledNorm(m, video, scale!), width, turn);
  const ofText = projected(attention, 'y', scaledNorm(m, text, textScale!), width);
  const heads = width / attention.at('q_norm_x').shape()[0]!;
  const mixed = attend(attention, joinProjected(attention, ofVideo, ofText), width, { heads });
  const [videoPart, textPart] = splitTokens(attention, mixed, ofVideo[0]);
  const seen = gated(m, video, linear(attention.at('proj_x'), videoPart), gate!);
  const changed = gated(m, seen, feedForward(m.at('mlp_x'), scaledNorm(m, seen, lastScale!)), lastGate!);
  if (!changesText) return { video: changed, text };
  const read = gated(m, text, linear(attention.at('proj_y'), textPart), textGate!);
  const inner = feedForward(m.at('mlp_y'), scaledNorm(m, read, lastTextScale!));
  return { video: changed, text: gated(m, read, inner, lastTextGate!) };
}

/** Queries and keys are normed head by head. Those of the video turn. */
function projected(m: NetworkModule, kind: 'x' | 'y', x: Value, width: number, turn?: Rotation): Projected {
  const all = linear(m.at(`qkv_${kind}`), x);
  const part = (at: number) => slice(m, all, -1, at * width, (at + 1) * width);
  const normed = (name: string, values: Value) => {
    const norm = m.at(`${name}_norm_${kind}`);
    const heads = reshape(m, values, 0, 0, -1, norm.shape()[0]!);
    const joined = reshape(m, rmsNorm(norm, heads, { epsilon: HEAD_EPSILON }), 0, 0, width);
    return turn ? rotate(m, joined, turn) : joined;
  };
  return [normed('q', part(0)), normed('k', part(1)), part(2)];
}

/** The norm of x · (1 + scale). */
function scaledNorm(m: NetworkModule, x: Value, scale: Value): Value {
  return multiply(m, plainRmsNorm(m, x), add(m, scale, m.graph.scalarInitializer(1)));
}

/** x + the norm of a change · tanh(gate) */
const gated = (m: NetworkModule, x: Value, change: Value, gate: Value): Value =>
  add(m, x, multiply(m, plainRmsNorm(m, change), m.op('Tanh', [gate])));

function feedForward(m: NetworkModule, x: Value): Value {
  const both = linear(m.at('w1'), x);
  return linear(m.at('w2'), siluGate(m, both, m.at('w2').shape()[1]!));
}
