/**
 * The autoencoder of Mochi 1 as two ONNX models. Frames are the first axis. No frame sees a later one, apart from the
 * attention of the encoder, as in ComfyUI. Source: Genmo, "Mochi 1", 2024 (https://github.com/genmoai/mochi, Apache-2.0).
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import {
  add,
  concat,
  dimensions,
  multiply,
  reshape,
  silu,
  slice,
  transpose,
  unitLength,
} from '../../layers/elementary.ts';
import { frameConvolution, frameSlice } from '../../layers/frame-convolution.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { groupNorm } from '../../layers/norms.ts';
import { gatherChannels, pixelShuffle } from '../../layers/pixel-shuffle.ts';

const EPSILON = 1e-5;
const HEAD_WIDTH = 32;
const COLORS = 3;
/** Sines and cosines of the colors have these frequencies, as powers of two. */
const POWERS = [6, 7];
/** Each level doubles both sides. */
const SIDE = 2;

/**
 * Input: `latent_sample` [frames, channels, height, width]. Output: `sample`, the first frame and six for each other
 * one, from -1 to 1.
 * @throws ModelUnsupported when weights are missing
 */
export function mochiDecoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const decoder = root.at('decoder');
  const [first, ...others] = decoder.list('blocks');
  const channels = first!.at('0').shape()[1]!;
  let x = frameConvolution(first!.at('0'), 'latent_sample', { frames: 'before' });
  for (const m of first!.list().slice(1)) x = residual(m, x);
  for (const [index, m] of others.entries()) {
    for (const layer of m.list(isLevel(m) ? 'blocks' : '')) x = residual(layer, x);
    if (isLevel(m)) x = enlarged(m, x, widthOf(others[index + 1]!));
  }
  const pixels = pointwise(decoder.at('output_proj'), silu(decoder, x));
  root.graph.node('Identity', [pixels], {}, 'sample');
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['frames', channels, 'height', 'width'] }],
    [{ name: 'sample', type: 'float32', shape: ['image frames', COLORS, 'image height', 'image width'] }],
  );
}

/**
 * Input: `sample`, 6 n + 1 frames from -1 to 1. Output: `latent_parameters`, means: of the first frame, and of every six
 * of the others.
 * @throws ModelUnsupported when weights are missing
 */
export function mochiEncoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const encoder = root.at('encoder');
  const [first, ...others] = encoder.list('layers');
  let x = pointwise(first!, withWaves(root, 'sample'));
  for (const m of others) x = m.at('stack').exists() ? residual(m, x) : reduced(m, x);
  const last = encoder.at('output_proj');
  const both = pointwise(last, silu(encoder, groupNorm(encoder.at('output_norm'), x, EPSILON)));
  // The second half is the logarithm of the variance.
  const channels = last.shape()[0]! / 2;
  root.graph.node('Identity', [slice(root, both, 1, 0, channels)], {}, 'latent_parameters');
  return root.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['image frames', COLORS, 'image height', 'image width'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['frames', channels, 'height', 'width'] }],
  );
}

const isLevel = (m: NetworkModule): boolean => m.at('proj').exists();

/** The channels of a block's input. */
const widthOf = (m: NetworkModule): number => m.at(isLevel(m) ? 'blocks.0.stack.0' : '0.stack.0').shape()[0]!;

function residual(m: NetworkModule, x: Value): Value {
  const layer = (norm: string, convolution: string, stream: Value) => {
    const normed = silu(m, groupNorm(m.at(norm), stream, EPSILON));
    return frameConvolution(m.at(convolution), normed, { frames: 'before', border: 'repeated' });
  };
  const changed = add(m, x, layer('stack.3', 'stack.5', layer('stack.0', 'stack.2', x)));
  const block = m.at('attn_block');
  return block.exists() ? attentive(block, changed) : changed;
}

/** Each cell sees itself in all frames. */
function attentive(m: NetworkModule, x: Value): Value {
  const attention = m.at('attn');
  const width = m.at('norm').shape()[0]!;
  const cells = transpose(m, groupNorm(m.at('norm'), x, EPSILON), 2, 3, 0, 1);
  const ints = (...values: number[]) => m.graph.int64Initializer(values);
  const rows = m.op('Reshape', [cells, concat(m, 0, ints(-1), dimensions(m, x, 0, 1), ints(width))]);
  const all = linear(attention.at('qkv'), rows);
  const part = (at: number) => slice(m, all, -1, at * width, (at + 1) * width);
  const unit = (values: Value) =>
    reshape(m, unitLength(m, reshape(m, values, 0, 0, -1, HEAD_WIDTH)), 0, 0, width);
  const mixed = attend(attention, [unit(part(0)), unit(part(1)), part(2)], width, {
    heads: width / HEAD_WIDTH,
  });
  const result = m.op('Reshape', [linear(attention.at('out'), mixed), m.op('Shape', [cells])]);
  return add(m, x, transpose(m, result, 2, 3, 0, 1));
}

/** Joins frames and squares of cells. */
function reduced(m: NetworkModule, x: Value): Value {
  const [convolution, ...layers] = m.list('layers');
  const [, , frames = 1, cells = 1] = convolution!.shape();
  const options = { frames: 'before', border: 'none', stride: { frames, cells } } as const;
  return layers.reduce(
    (stream, layer) => residual(layer, stream),
    frameConvolution(convolution!, x, options),
  );
}

/** Channels become frames and squares of cells. The first frame becomes a single one. */
function enlarged(m: NetworkModule, x: Value, width: number): Value {
  const projection = m.at('proj');
  const frames = projection.shape()[0]! / (width * SIDE ** 2);
  const large = pixelShuffle(m, pointwise(projection, x), SIDE);
  if (frames === 1) return large;
  const ints = (...values: number[]) => m.graph.int64Initializer(values);
  const split = transpose(m, reshape(m, large, 0, width, frames, -1), 0, 2, 1, 3);
  const video = m.op('Reshape', [split, concat(m, 0, ints(-1, width), dimensions(m, large, 2, 4))]);
  return frameSlice(m, video, frames - 1, 0);
}

/** A linear layer over the channels of each cell. */
function pointwise(m: NetworkModule, x: Value): Value {
  const [outputs = 0, inputs = 0] = m.shape();
  const kernel = reshape(m, m.parameter(), outputs, inputs, 1, 1);
  return m.op('Conv', [x, kernel, ...(m.has('bias') ? [m.parameter('bias')] : [])], { kernel_shape: [1, 1] });
}

/** The colors, then the sines and the cosines of each color at each frequency. */
function withWaves(m: NetworkModule, x: Value): Value {
  const order = Array.from({ length: COLORS * POWERS.length }, (_, at) => Math.floor(at / POWERS.length));
  const frequencies = order.map((_, at) => 2 ** POWERS[at % POWERS.length]! * 2 * Math.PI);
  const factors = m.constant('frequencies', [order.length, 1, 1], frequencies);
  const angles = multiply(m, gatherChannels(m, x, order), factors);
  return concat(m, 1, x, m.op('Sin', [angles]), m.op('Cos', [angles]));
}
