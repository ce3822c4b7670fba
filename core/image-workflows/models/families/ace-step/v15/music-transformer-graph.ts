/**
 * The transformer of ACE-Step 1.5 as an ONNX model. Source: Gong et al., "ACE-Step 1.5: pushing the boundaries of
 * open-source music generation", 2026, section 3.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import {
  add,
  concat,
  dimensions,
  reshape,
  scaled,
  silu,
  slice,
  transpose,
} from '../../../layers/elementary.ts';
import { linear } from '../../../layers/linear.ts';
import { markedBlock } from '../../../layers/marked-block.ts';
import { addGated, modulate } from '../../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../../layers/network-module.ts';
import { rmsNorm } from '../../../layers/rms-norm.ts';
import type { Rotation } from '../../../layers/rotary.ts';
import { embeddingLayers, sinusoid } from '../../../layers/timestep-embedding.ts';
import { HIDDEN_SCORE } from '../../../layers/token-embedding.ts';
import { musicAttention, musicFeedForward, musicRotation } from './music-layers.ts';

/** The timestep of pure noise in the network's training. Its input is 1 there. */
const TRAINING_STEPS = 1000;
/** Every second block, from the first on, sees tokens that are at most so far away. */
const WINDOW = 128;
/** Shifts, scales and gates of a block. */
const PARTS = 6;

/**
 * Inputs:
 * - `hidden_states` [batch, channels, cells];
 * - `timestep` [1], 0 to 1;
 * - `encoder_hidden_states` [batch, tokens, width], as `conditionGraph` makes them;
 * - `source` [batch, channels, cells], latents that the music follows.
 *
 * Output: `out_sample`, as `hidden_states`.
 * @throws ModelUnsupported when weights are missing
 */
export function musicTransformerGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights)).at('decoder');
  const { graph } = root;
  const [width = 0, conditionWidth = 0] = root.at('condition_embedder').shape();
  const [, channels = 0, patch = 0] = root.at('proj_out.1').shape();
  const { time, parts } = times(root, width);
  const context = linear(root.at('condition_embedder'), 'encoder_hidden_states');
  let x = tokensOf(root.at('proj_in.1'), patch);
  const blocks = root.list('layers');
  const turn = musicRotation(root, x, blocks[0]!.at('self_attn'));
  const mask = distantTokens(root, x);
  for (const [index, m] of blocks.entries())
    x = markedBlock(m, x, (stream) =>
      block(m, stream, { parts, context, turn, mask: index % 2 === 0 ? mask : undefined }),
    );
  const shifts = add(root, root.parameter('scale_shift_table'), reshape(root, time, -1, 1, width));
  const [shift, scale] = [0, 1].map((at) => slice(root, shifts, 1, at, at + 1)) as [Value, Value];
  const last = transpose(root, modulate(root, rmsNorm(root.at('norm_out'), x), shift, scale), 0, 2, 1);
  graph.node('Identity', [cellsOf(root.at('proj_out.1'), last, patch)], {}, 'out_sample');
  const sample = ['batch', channels, 'cells'];
  return graph.buildModel(
    [
      { name: 'hidden_states', type: 'float32', shape: sample },
      { name: 'timestep', type: 'float32', shape: [1] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'tokens', conditionWidth] },
      { name: 'source', type: 'float32', shape: sample },
    ],
    [{ name: 'out_sample', type: 'float32', shape: sample }],
  );
}

/**
 * The network was trained with two times, and gets them without a distance: [1, width] and [1, 6, width].
 * Source: Geng et al., "Mean flows for one-step generative modeling", 2025, section 4.
 */
function times(root: NetworkModule, width: number): { time: Value; parts: Value } {
  const distance = scaled(root, 'timestep', 0);
  const both = (
    [
      ['time_embed', scaled(root, 'timestep', TRAINING_STEPS)],
      ['time_embed_r', distance],
    ] as const
  ).map(([name, numbers]) => {
    const m = root.at(name);
    const [, inputs = 0] = m.at('linear_1').shape();
    const embedded = embeddingLayers(m, sinusoid(m, numbers, inputs));
    return { embedded, projected: linear(m.at('time_proj'), silu(m, embedded)) };
  });
  const [now, rest] = both as [(typeof both)[0], (typeof both)[0]];
  return {
    time: add(root, now.embedded, rest.embedded),
    parts: reshape(root, add(root, now.projected, rest.projected), -1, PARTS, width),
  };
}

/** The source, a channel of ones for each of its channels, and the input as patches of cells: [batch, tokens, width]. */
function tokensOf(m: NetworkModule, patch: number): Value {
  const ones = m.op('Sub', ['source', 'source']);
  const all = concat(m, 1, 'source', add(m, ones, m.graph.scalarInitializer(1)), 'hidden_states');
  const patches = m.op('Conv', [all, m.parameter(), m.parameter('bias')], {
    kernel_shape: [patch],
    strides: [patch],
    // Zeros complete the last patch.
    pads: [0, patch - 1],
  });
  return transpose(m, patches, 0, 2, 1);
}

/** [batch, width, tokens] to as many cells as the input has. */
function cellsOf(m: NetworkModule, tokens: Value, patch: number): Value {
  const cells = m.op('ConvTranspose', [tokens, m.parameter(), m.parameter('bias')], {
    kernel_shape: [patch],
    strides: [patch],
  });
  const count = dimensions(m, 'hidden_states', 2, 3);
  return m.op('Slice', [cells, m.graph.int64Initializer([0]), count, m.graph.int64Initializer([2])]);
}

/** Hides tokens outside of the window: [1, 1, tokens, tokens]. */
function distantTokens(m: NetworkModule, x: Value): Value {
  const { graph } = m;
  const count = m.op('Squeeze', [dimensions(m, x, 1, 2), graph.int64Initializer([0])]);
  const range = m.op('Range', [graph.int64Initializer([0], true), count, graph.int64Initializer([1], true)]);
  const numbers = m.op('Cast', [range], { to: 1 });
  const [row, column] = [0, 1].map((axis) =>
    m.op('Unsqueeze', [numbers, graph.int64Initializer([axis])]),
  ) as [Value, Value];
  const distance = m.op('Abs', [m.op('Sub', [row, column])]);
  const scores = m.op('Where', [
    m.op('Greater', [distance, graph.scalarInitializer(WINDOW)]),
    graph.scalarInitializer(HIDDEN_SCORE),
    graph.scalarInitializer(0),
  ]);
  return m.op('Unsqueeze', [scores, graph.int64Initializer([0, 1])]);
}

interface BlockInputs {
  /** [1, 6, width] */
  parts: Value;
  context: Value;
  turn: Rotation;
  mask: Value | undefined;
}

function block(m: NetworkModule, x: Value, { parts, context, turn, mask }: BlockInputs): Value {
  const table = add(m, m.parameter('scale_shift_table'), parts);
  const [shift, scale, gate, lastShift, lastScale, lastGate] = Array.from({ length: PARTS }, (_, at) =>
    slice(m, table, 1, at, at + 1),
  ) as [Value, Value, Value, Value, Value, Value];
  const normed = modulate(m, rmsNorm(m.at('self_attn_norm'), x), shift, scale);
  const heard = addGated(m, x, gate, musicAttention(m.at('self_attn'), normed, normed, { turn, mask }));
  const query = rmsNorm(m.at('cross_attn_norm'), heard);
  const prompted = add(m, heard, musicAttention(m.at('cross_attn'), query, context, {}));
  const last = modulate(m, rmsNorm(m.at('mlp_norm'), prompted), lastShift, lastScale);
  return addGated(m, prompted, lastGate, musicFeedForward(m.at('mlp'), last));
}
