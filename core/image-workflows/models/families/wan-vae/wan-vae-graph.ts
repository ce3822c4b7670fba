/**
 * The autoencoders of Wan 2.1, Qwen-Image and Wan 2.2, as two ONNX models for images and two for videos. Source: Wan
 * Team, "Wan: open and advanced large-scale video generative models", 2025, section 4.1.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { convolution, enlarge } from '../../layers/convolution.ts';
import {
  add,
  concat,
  dimensions,
  multiply,
  reshape,
  silu,
  slice,
  transpose,
} from '../../layers/elementary.ts';
import { frameSlice } from '../../layers/frame-convolution.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { cellsToTokens } from '../../layers/patches.ts';
import { imageChannels, patchesToPixels, pixelsToPatches } from '../../layers/pixel-shuffle.ts';
import { causalConvolution, type Frames, halveFrames } from './causal-convolution.ts';
import { averagedChannels, type GroupSides, repeatedChannels } from './plain-resampling.ts';

/**
 * Input: `latent_sample` [frames, channels, height, width]. Output: `sample`, frames from -1 to 1: four for each frame
 * of the input but the first, and one for that.
 * @throws ModelUnsupported when weights are missing
 */
export function wanDecoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  frames: Frames,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const decoder = root.at('decoder');
  const [channels = 0] = root.at('conv2').shape();
  let x = causalConvolution(root.at('conv2'), 'latent_sample', frames);
  x = middle(decoder, causalConvolution(decoder.at('conv1'), x, frames), frames);
  for (const m of decoder.list('upsamples')) x = decoderLayer(m, x, frames);
  const [patch = 0] = decoder.at('head.2').shape();
  root.graph.node('Identity', [patchesToPixels(root, head(decoder, x, frames), patch)], {}, 'sample');
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['frames', channels, 'height', 'width'] }],
    [
      {
        name: 'sample',
        type: 'float32',
        shape: ['image frames', imageChannels(patch), 'image height', 'image width'],
      },
    ],
  );
}

/**
 * Input: `sample`, an image, or 4 n + 1 frames, from -1 to 1. Output: `latent_parameters`, means: of the first frame,
 * and of every four of the others.
 * @throws ModelUnsupported when weights are missing
 */
export function wanEncoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  frames: Frames,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const encoder = root.at('encoder');
  const [parameters = 0] = root.at('conv1').shape();
  const [, patch = 0] = encoder.at('conv1').shape();
  let x = causalConvolution(encoder.at('conv1'), pixelsToPatches(encoder, 'sample', patch), frames);
  for (const m of encoder.list('downsamples')) x = encoderLayer(m, x, frames);
  const all = causalConvolution(root.at('conv1'), head(encoder, middle(encoder, x, frames), frames), frames);
  // The second half are logarithms of variances.
  root.graph.node('Identity', [slice(root, all, 1, 0, parameters / 2)], {}, 'latent_parameters');
  return root.graph.buildModel(
    [
      {
        name: 'sample',
        type: 'float32',
        shape: ['image frames', imageChannels(patch), 'image height', 'image width'],
      },
    ],
    [{ name: 'latent_parameters', type: 'float32', shape: ['frames', parameters / 2, 'height', 'width'] }],
  );
}

/** A layer, or a group of layers with a way around them (Wan 2.2). */
function decoderLayer(m: NetworkModule, x: Value, frames: Frames): Value {
  const layers = m.list('upsamples');
  if (layers.length === 0)
    return m.at('residual').exists() ? residualBlock(m, x, frames) : upsample(m, x, frames);
  const changed = layers.reduce((stream, layer) => decoderLayer(layer, stream, frames), x);
  if (!layers.at(-1)!.at('resample').exists()) return changed;
  return add(m, changed, repeatedChannels(m, x, groupSides(layers)));
}

/** As `decoderLayer`. */
function encoderLayer(m: NetworkModule, x: Value, frames: Frames): Value {
  const layers = m.list('downsamples');
  if (layers.length === 0)
    return m.at('residual').exists() ? residualBlock(m, x, frames) : downsample(m, x, frames);
  const changed = layers.reduce((stream, layer) => encoderLayer(layer, stream, frames), x);
  if (!layers.at(-1)!.at('resample').exists()) return add(m, changed, x);
  return add(m, changed, averagedChannels(m, x, groupSides(layers)));
}

/** The channels on both ends of a group of layers, and the frames that its last layer joins, or makes of each. */
function groupSides(layers: readonly NetworkModule[]): GroupSides {
  const last = layers.at(-1)!;
  const [inputs = 0] = layers[0]!.at('residual.0').shape('gamma');
  const [outputs = 0] = last.at('resample.1').shape();
  return { inputs, outputs, frames: last.at('time_conv').exists() ? 2 : 1 };
}

function middle(m: NetworkModule, x: Value, frames: Frames): Value {
  const [first, attention, last] = m.list('middle');
  return residualBlock(last!, frameAttention(attention!, residualBlock(first!, x, frames)), frames);
}

const head = (m: NetworkModule, x: Value, frames: Frames): Value =>
  causalConvolution(m.at('head.2'), silu(m, channelNorm(m.at('head.0'), x)), frames);

function residualBlock(m: NetworkModule, x: Value, frames: Frames): Value {
  const [norm1, conv1, norm2, conv2] = [0, 2, 3, 6].map((at) => m.at(`residual.${at}`));
  const first = causalConvolution(conv1!, silu(m, channelNorm(norm1!, x)), frames);
  const second = causalConvolution(conv2!, silu(m, channelNorm(norm2!, first)), frames);
  const shortcut = m.at('shortcut');
  return add(m, second, shortcut.exists() ? causalConvolution(shortcut, x, frames) : x);
}

/** Zhang and Sennrich, "Root mean square layer normalization", 2019: over the channels of each cell. */
function channelNorm(m: NetworkModule, x: Value): Value {
  const { graph } = m;
  const [channels = 0] = m.shape('gamma');
  const length = m.op('ReduceL2', [x], { axes: [1], keepdims: 1 });
  const positive = m.op('Max', [length, graph.scalarInitializer(1e-12)]);
  const gamma = reshape(m, m.parameter('gamma'), channels, 1, 1);
  const scale = multiply(m, gamma, graph.scalarInitializer(Math.sqrt(channels)));
  return multiply(m, m.op('Div', [x, positive]), scale);
}

/** Attention of all cells of a frame to each other, with one head. */
function frameAttention(m: NetworkModule, x: Value): Value {
  const projection = m.at('to_qkv');
  const width = projection.shape()[0]! / 3;
  const all = convolution(projection, channelNorm(m.at('norm'), x));
  const tokens = cellsToTokens(m, all);
  const part = (at: number) => slice(m, tokens, -1, at * width, (at + 1) * width);
  const mixed = attend(m, [part(0), part(1), part(2)], width, { heads: 1 });
  const image = m.op('Reshape', [transpose(m, mixed, 0, 2, 1), m.op('Shape', [x])]);
  return add(m, convolution(m.at('proj'), image), x);
}

/** Doubles the sides, and, with `time_conv`, the number of frames after the first. */
function upsample(m: NetworkModule, x: Value, frames: Frames): Value {
  const time = m.at('time_conv');
  const all = frames === 'video' && time.exists() ? doubleFrames(time, x) : x;
  return convolution(m.at('resample.1'), enlarge(m, all));
}

/** Each frame after the first becomes two: its channels and as many more. The first has no part in the convolution. */
function doubleFrames(m: NetworkModule, x: Value): Value {
  const [outputs = 0] = m.shape();
  const first = frameSlice(m, x, 0, 1);
  const pairs = causalConvolution(m, frameSlice(m, x, 1, 0), 'video');
  const sides = dimensions(m, x, 2, 4);
  const shape = concat(m, 0, m.graph.int64Initializer([-1, outputs / 2]), sides);
  return concat(m, 0, first, m.op('Reshape', [pairs, shape]));
}

/** Halves the sides, and, with `time_conv`, the number of frames after the first. */
function downsample(m: NetworkModule, x: Value, frames: Frames): Value {
  const half = convolution(m.at('resample.1'), x, { stride: 2, padding: { start: 0, end: 1 } });
  const time = m.at('time_conv');
  if (frames === 'image' || !time.exists()) return half;
  return concat(m, 0, frameSlice(m, half, 0, 1), halveFrames(time, half));
}
