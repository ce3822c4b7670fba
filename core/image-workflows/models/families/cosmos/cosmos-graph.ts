/**
 * The transformers of Cosmos 1 and Cosmos Predict2 as ONNX models. Source: NVIDIA, "Cosmos world foundation model platform
 * for physical AI", 2025, section 5.1.2.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { add, gelu, multiply, reshape, silu, slice } from '../../layers/elementary.ts';
import { headNorm } from '../../layers/joint-attention.ts';
import { linear } from '../../layers/linear.ts';
import { addGated, modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotateHalves, rotation } from '../../layers/rotary.ts';
import { sinusoid } from '../../layers/timestep-embedding.ts';

const HEAD_WIDTH = 128;
/** The parts of a head that turn with frame, row and column. */
const AXES = [44, 42, 42] as const;
const THETA = 10_000;

export interface CosmosOptions {
  /** How much longer than in training frames, rows and columns may be: factors of the longest wavelength. */
  ratios: readonly [frames: number, rows: number, columns: number];
}

/**
 * Inputs:
 * - `hidden_states` [batch, frames, tokens of a frame, features]: patches of the latent and of the masks after it;
 * - `timestep` [1 or frames];
 * - `encoder_hidden_states` [batch, text tokens, width];
 * - `ids` [tokens, 3]: frame, row and column; `frame_step` [1]: the distance of two frames.
 *
 * Output: `out_hidden_states`, cell by cell.
 * @param weights by their names in Cosmos Predict2
 * @throws ModelUnsupported when weights are missing
 */
export function cosmosGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  { ratios }: CosmosOptions,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const projection = root.at('x_embedder.proj.1');
  const [width = 0, features = 0] = projection.shape();
  const [, textWidth = 0] = root.at('blocks.0.cross_attn.k_proj').shape();
  const sines = sinusoid(root, 'timestep', width);
  const time = root.at('t_embedder.1');
  const shared: Shared = {
    width,
    parts: linear(time.at('linear_2'), silu(time, linear(time.at('linear_1'), sines))),
    embedding: silu(root, rmsNorm(root.at('t_embedding_norm'), sines)),
    turn: videoRotation(root, ratios),
  };
  let x = linear(projection, 'hidden_states');
  const shape = root.op('Shape', [x]);
  const places = root.at('extra_pos_embedder').exists() ? learnedPlaces(root, shape, width) : undefined;
  for (const m of root.list('blocks')) x = block(m, places === undefined ? x : add(m, x, places), shared);
  const [shift, scale] = modulations(root.at('final_layer.adaln_modulation'), 2, shared);
  const last = modulate(root, plainNorm(root, x, width), shift!, scale!);
  const output = root.at('final_layer.linear');
  root.graph.node('Identity', [linear(output, last)], {}, 'out_hidden_states');
  const float = (name: string, ...sides: (string | number)[]) => ({
    ...{ name, type: 'float32' as const, shape: sides },
  });
  return root.graph.buildModel(
    [
      float('hidden_states', 'batch', 'frames', 'tokens', features),
      float('timestep', 'times'),
      float('encoder_hidden_states', 'batch', 'text tokens', textWidth),
      float('ids', 'all tokens', 3),
      float('frame_step', 1),
    ],
    [float('out_hidden_states', 'batch', 'frames', 'tokens', output.shape()[0]!)],
  );
}

interface Shared {
  width: number;
  /** Shifts, scales and gates for each time: [times, 3 · width]. */
  parts: Value;
  /** The embedding of each time, after the activation: [times, width]. */
  embedding: Value;
  turn: Rotation;
}

/** A ratio stretches the longest wavelength of its axis, and leaves the shortest (bloc97, "NTK-aware scaled RoPE", 2023). */
function videoRotation(root: NetworkModule, ratios: CosmosOptions['ratios']): Rotation {
  const { graph } = root;
  const steps = root.op('Concat', ['frame_step', graph.floatInitializer('other_steps', [2], [1, 1])], {
    axis: 0,
  });
  const theta = AXES.map((axis, at) => THETA * ratios[at]! ** (axis / (axis - 2)));
  return rotation(root.at('rope'), [multiply(root, 'ids', steps)], { widths: AXES, theta });
}

/** Learned positions of frames, rows and columns, whose sum is normed: [1, frames, tokens of a frame, width]. */
function learnedPlaces(root: NetworkModule, shape: Value, width: number): Value {
  const m = root.at('extra_pos_embedder');
  const ids = m.op('Cast', ['ids'], { to: 7 });
  const [frames, rows, columns] = ['t', 'h', 'w'].map((axis, at) => {
    const index = reshape(m, slice(m, ids, 1, at, at + 1), -1);
    return m.op('Gather', [m.parameter(`pos_emb_${axis}`), index], { axis: 0 });
  }) as [Value, Value, Value];
  const sum = add(m, add(m, frames, rows), columns);
  const length = m.op('ReduceL2', [sum], { axes: [-1], keepdims: 1 });
  const unit = add(
    m,
    multiply(m, length, m.graph.scalarInitializer(1 / Math.sqrt(width))),
    m.graph.scalarInitializer(1e-6),
  );
  const sides = m.op('Slice', [shape, m.graph.int64Initializer([1]), m.graph.int64Initializer([4])]);
  const all = m.op('Concat', [m.graph.int64Initializer([1]), sides], { axis: 0 });
  return m.op('Reshape', [m.op('Div', [sum, unit]), all]);
}

/** [times, 1, width] each. */
function modulations(m: NetworkModule, count: number, { width, parts, embedding }: Shared): Value[] {
  const own = linear(m.at('2'), linear(m.at('1'), embedding));
  const all = add(m, own, slice(m, parts, -1, 0, count * width));
  const rows = m.op('Unsqueeze', [all, m.graph.int64Initializer([1])]);
  return Array.from({ length: count }, (_, at) => slice(m, rows, -1, at * width, (at + 1) * width));
}

function block(m: NetworkModule, x: Value, shared: Shared): Value {
  const { width, turn } = shared;
  const shape = m.op('Shape', [x]);
  /** All frames as one sequence, and back. */
  const joined = (stream: Value, change: (tokens: Value) => Value): Value =>
    m.op('Reshape', [change(reshape(m, stream, 0, -1, width)), shape]);
  const changes: readonly [part: string, change: (normed: Value) => Value][] = [
    [
      'self_attn',
      (normed) => joined(normed, (tokens) => attention(m.at('self_attn'), tokens, tokens, width, turn)),
    ],
    [
      'cross_attn',
      (normed) =>
        joined(normed, (tokens) => attention(m.at('cross_attn'), tokens, 'encoder_hidden_states', width)),
    ],
    ['mlp', (normed) => linear(m.at('mlp.layer2'), gelu(m.at('mlp'), linear(m.at('mlp.layer1'), normed)))],
  ];
  let stream = x;
  for (const [part, change] of changes) {
    const [shift, scale, gate] = modulations(m.at(`adaln_modulation_${part}`), 3, shared);
    const normed = modulate(m, plainNorm(m, stream, width), shift!, scale!);
    stream = addGated(m, stream, gate!, change(normed));
  }
  return stream;
}

function attention(m: NetworkModule, x: Value, context: Value, width: number, turn?: Rotation): Value {
  const part = (name: string, tokens: Value) => {
    const normed = headNorm(m.at(`${name}_norm`), linear(m.at(`${name}_proj`), tokens), HEAD_WIDTH);
    return turn === undefined ? normed : rotateHalves(m, normed, turn);
  };
  const [query, key, value] = [part('q', x), part('k', context), linear(m.at('v_proj'), context)] as const;
  return linear(m.at('output_proj'), attend(m, [query, key, value], width, { heads: width / HEAD_WIDTH }));
}
