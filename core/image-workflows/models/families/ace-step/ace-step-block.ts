/**
 * A block of ACE-Step's transformer: attention without softmax to all cells, attention to the prompt, and gated
 * convolutions. Source: Xie et al., "SANA: efficient high-resolution image synthesis with linear diffusion transformers",
 * 2024, section 2.2.
 */
import { attend } from '../../layers/attention.ts';
import { add, multiply, relu, reshape, silu, slice, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { addGated, modulate } from '../../layers/modulation.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { plainRmsNorm } from '../../layers/rms-norm.ts';
import { sequenceConvolution } from '../../layers/sequence-convolution.ts';

const HEAD_WIDTH = 128;
const THETA = 1_000_000;
const EPSILON = 1e-6;
const ATTENTION_EPSILON = 1e-15;

/** Cosines and sines for the columns of a head: [tokens, 1, width of a head] each. */
interface ColumnAngles {
  cosines: Value;
  sines: Value;
}

export interface AceStepInputs {
  /** Shifts, scales and gates, [batch, 6, width]. */
  parts: Value;
  /** [batch, tokens, width] */
  context: Value;
  angles: { own: ColumnAngles; context: ColumnAngles };
  width: number;
}

/**
 * Angles for as many tokens as `x` has. The frequencies repeat after half a head, though pairs are neighboring columns.
 * So both columns of a pair turn by different angles, as the network was trained.
 */
export function columnAngles(m: NetworkModule, x: Value): ColumnAngles {
  const { graph } = m;
  const half = HEAD_WIDTH / 2;
  const speeds = Array.from({ length: HEAD_WIDTH }, (_, column) => THETA ** (-(column % half) / half));
  const count = m.op('Gather', [m.op('Shape', [x]), graph.int64Initializer([1], true)]);
  const range = m.op('Range', [graph.int64Initializer([0], true), count, graph.int64Initializer([1], true)]);
  const positions = reshape(m, m.op('Cast', [range], { to: 1 }), -1, 1, 1);
  const angles = multiply(m, positions, m.constant('speeds', [1, HEAD_WIDTH], speeds));
  return { cosines: m.op('Cos', [angles]), sines: m.op('Sin', [angles]) };
}

export function aceStepBlock(
  m: NetworkModule,
  x: Value,
  { parts, context, angles, width }: AceStepInputs,
): Value {
  const table = add(m, m.parameter('scale_shift_table'), parts);
  const [shift, scale, gate, lastShift, lastScale, lastGate] = Array.from({ length: 6 }, (_, at) =>
    slice(m, table, 1, at, at + 1),
  ) as [Value, Value, Value, Value, Value, Value];
  const normed = modulate(m, plainRmsNorm(m, x, EPSILON), shift, scale);
  const attended = addGated(m, x, gate, linearAttention(m.at('attn'), normed, angles.own, width));
  const prompted = add(m, attended, crossAttention(m.at('cross_attn'), attended, context, angles, width));
  const last = modulate(m, plainRmsNorm(m, prompted, EPSILON), lastShift, lastScale);
  return addGated(m, prompted, lastGate, gatedConvolutions(m.at('ff'), last));
}

/** [batch, tokens, width] to turned heads, [batch, tokens, heads, width of a head]. */
function turned(m: NetworkModule, x: Value, { cosines, sines }: ColumnAngles, width: number): Value {
  const heads = width / HEAD_WIDTH;
  const pairs = reshape(m, x, 0, 0, -1, 2);
  const swapped = m.op('Gather', [pairs, m.graph.int64Initializer([1, 0])], { axis: 3 });
  const signs = m.graph.sharedFloats('rotation_signs', [-1, 1]);
  const other = reshape(m, multiply(m, swapped, signs), 0, 0, heads, HEAD_WIDTH);
  const own = reshape(m, x, 0, 0, heads, HEAD_WIDTH);
  return add(m, multiply(m, own, cosines), multiply(m, other, sines));
}

function linearAttention(m: NetworkModule, x: Value, angles: ColumnAngles, width: number): Value {
  const heads = width / HEAD_WIDTH;
  const kernel = (name: string) => relu(m, turned(m, linear(m.at(name), x), angles, width));
  // [batch, heads, tokens, width of a head]
  const query = transpose(m, kernel('to_q'), 0, 2, 1, 3);
  const key = transpose(m, kernel('to_k'), 0, 2, 1, 3);
  const value = transpose(m, reshape(m, linear(m.at('to_v'), x), 0, 0, heads, HEAD_WIDTH), 0, 2, 1, 3);
  const products = m.op('MatMul', [transpose(m, key, 0, 1, 3, 2), value]);
  const mixed = m.op('MatMul', [query, products]);
  const sums = m.op('ReduceSum', [key, m.graph.int64Initializer([2])], { keepdims: 1 });
  const total = m.op('ReduceSum', [multiply(m, query, sums), m.graph.int64Initializer([3])], { keepdims: 1 });
  const shares = m.op('Div', [mixed, add(m, total, m.graph.scalarInitializer(ATTENTION_EPSILON))]);
  return linear(m.at('to_out.0'), reshape(m, transpose(m, shares, 0, 2, 1, 3), 0, 0, width));
}

function crossAttention(
  m: NetworkModule,
  x: Value,
  context: Value,
  angles: AceStepInputs['angles'],
  width: number,
): Value {
  const flat = (value: Value) => reshape(m, value, 0, 0, width);
  const query = flat(turned(m, linear(m.at('to_q'), x), angles.own, width));
  const key = flat(turned(m, linear(m.at('to_k'), context), angles.context, width));
  const value = linear(m.at('to_v'), context);
  return linear(m.at('to_out.0'), attend(m, [query, key, value], width, { heads: width / HEAD_WIDTH }));
}

/** Dauphin et al., "Language modeling with gated convolutional networks", 2017, with SiLU. */
function gatedConvolutions(m: NetworkModule, x: Value): Value {
  const wide = silu(m, sequenceConvolution(m.at('inverted_conv.conv'), transpose(m, x, 0, 2, 1)));
  const depth = m.at('depth_conv.conv');
  const [channels = 1, , kernel = 1] = depth.shape();
  const filtered = sequenceConvolution(depth, wide, { groups: channels, padding: (kernel - 1) / 2 });
  const value = slice(m, filtered, 1, 0, channels / 2);
  const gate = slice(m, filtered, 1, channels / 2, channels);
  const narrow = sequenceConvolution(m.at('point_conv.conv'), multiply(m, value, silu(m, gate)));
  return transpose(m, narrow, 0, 2, 1);
}
