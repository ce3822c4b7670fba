/** The blocks of Stable Cascade's networks (Pernias et al., "Würstchen", 2023, appendix A; github.com/Stability-AI/StableCascade). */
import { attention } from '../../layers/attention.ts';
import {
  add,
  channelsFirst,
  channelsLast,
  concat,
  gelu,
  multiply,
  reshape,
  silu,
  slice,
  transpose,
} from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { plainNorm } from '../../layers/modulation.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { cellsToTokens } from '../../layers/patches.ts';

/** All heads have this width. */
const HEAD_WIDTH = 64;
const TIME_WIDTH = 64;
const TIME_SCALE = 10_000;

/** [batch, channels, height, width] to [batch, height, width, channels]. */
/** A layer norm over the channels of [batch, channels, height, width], without weights. */
export const channelNorm = (m: NetworkModule, x: Value, channels: number): Value =>
  channelsFirst(m, plainNorm(m, channelsLast(m, x), channels));

/** A filter for each channel. */
export function depthwise(m: NetworkModule, x: Value, mode: 'zeros' | 'edge' = 'zeros'): Value {
  const [channels = 1, , kernel = 1] = m.shape();
  const half = Math.floor(kernel / 2);
  const pads = [half, half, half, half];
  const padded =
    mode === 'edge'
      ? m.op('Pad', [x, m.graph.int64Initializer([0, 0, half, half, 0, 0, half, half])], { mode: 'edge' })
      : x;
  return m.op('Conv', [padded, m.parameter(), m.parameter('bias')], {
    kernel_shape: [kernel, kernel],
    pads: mode === 'edge' ? [0, 0, 0, 0] : pads,
    group: channels,
  });
}

/** The inputs of all blocks. */
export interface CascadeInputs {
  /** The embeddings of the time and of two other numbers, [1 or batch, 64] each. */
  times: readonly Value[];
  /** The tokens of the prompt, [batch, tokens, width]. */
  prompt: Value;
}

/** A block of any kind. @param skip of the way down, for the first block of a level on the way up */
export function block(m: NetworkModule, x: Value, inputs: CascadeInputs, skip?: Value): Value {
  if (m.at('depthwise').exists()) return residualBlock(m, x, skip);
  if (m.at('mapper').exists()) return timeBlock(m, x, inputs.times);
  return attentionBlock(m, x, inputs.prompt);
}

function residualBlock(m: NetworkModule, x: Value, skip: Value | undefined): Value {
  const filtered = depthwise(m.at('depthwise'), x);
  const [channels = 0] = m.at('depthwise').shape();
  const normed = plainNorm(m, channelsLast(m, filtered), channels);
  const joined = skip === undefined ? normed : concat(m, -1, normed, channelsLast(m, skip));
  const layers = m.at('channelwise');
  const inner = responseNorm(layers.at('2'), gelu(layers, linear(layers.at('0'), joined)));
  return add(m, channelsFirst(m, linear(layers.at('4'), inner)), x);
}

/** Woo et al., "ConvNeXt V2", 2023, section 3: global response normalization of [batch, height, width, channels]. */
function responseNorm(m: NetworkModule, x: Value): Value {
  const lengths = m.op('ReduceL2', [x], { axes: [1, 2], keepdims: 1 });
  const mean = m.op('ReduceMean', [lengths], { axes: [-1], keepdims: 1 });
  const shares = m.op('Div', [lengths, add(m, mean, m.graph.scalarInitializer(1e-6))]);
  const scaled = multiply(m, m.parameter('gamma'), multiply(m, x, shares));
  return add(m, add(m, scaled, m.parameter('beta')), x);
}

/** Scales and shifts all channels by the time and the other numbers. */
function timeBlock(m: NetworkModule, x: Value, times: readonly Value[]): Value {
  const mappers = ['mapper', 'mapper_sca', 'mapper_crp'].map((name) => m.at(name));
  const sum = times
    .slice(0, mappers.filter((mapper) => mapper.exists()).length)
    .map((time, at) => linear(mappers[at]!, time))
    .reduce((total, part) => add(m, total, part));
  const channels = mappers[0]!.shape()[0]! / 2;
  const [scale, shift] = [0, channels].map((start) =>
    reshape(m, slice(m, sum, 1, start, start + channels), -1, channels, 1, 1),
  ) as [Value, Value];
  return add(m, multiply(m, x, add(m, scale, m.graph.scalarInitializer(1))), shift);
}

/** All cells see one another and the prompt. */
function attentionBlock(m: NetworkModule, x: Value, prompt: Value): Value {
  const mapper = m.at('kv_mapper');
  const [channels = 0] = mapper.at('1').shape();
  const seen = linear(mapper.at('1'), silu(mapper, prompt));
  const cells = plainNorm(m, cellsToTokens(m, x), channels);
  const options = { heads: channels / HEAD_WIDTH };
  const mixed = attention(m.at('attention.attn'), cells, concat(m, 1, cells, seen), options);
  const image = m.op('Reshape', [transpose(m, mixed, 0, 2, 1), m.op('Shape', [x])]);
  return add(m, x, image);
}

/** Sines, then cosines, of numbers from 0 to 1 at falling frequencies: [count] to [count, 64]. */
export function timeEmbedding(m: NetworkModule, numbers: Value): Value {
  const half = TIME_WIDTH / 2;
  const step = Math.fround(-Math.log(TIME_SCALE) / (half - 1));
  // Each step in single precision, as the angles are large.
  const frequencies = Array.from({ length: half }, (_, i) => Math.exp(Math.fround(i * step)));
  const scaled = multiply(m, numbers, m.graph.scalarInitializer(TIME_SCALE));
  const rows = m.op('Unsqueeze', [scaled, m.graph.int64Initializer([1])]);
  const angles = multiply(m, rows, m.constant('frequencies', [1, half], frequencies));
  return concat(m, -1, m.op('Sin', [angles]), m.op('Cos', [angles]));
}
