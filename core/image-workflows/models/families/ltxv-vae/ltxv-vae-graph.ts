/**
 * The autoencoder of LTX Video 0.9 as two ONNX models. Frames are the first axis. Source: HaCohen et al., "LTX-Video:
 * realtime video latent diffusion", 2024, section 2.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
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
import {
  type FrameConvolutionOptions,
  frameConvolution,
  frameSlice,
} from '../../layers/frame-convolution.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { patchesToPixels, pixelShuffle, pixelsToPatches } from '../../layers/pixel-shuffle.ts';
import { plainRmsNorm } from '../../layers/rms-norm.ts';

/** In the norm over the channels of a cell. */
const EPSILON = 1e-8;
/** In the norm of a shortcut. */
const SHORTCUT_EPSILON = 1e-6;
/** Frames and cells that a layer joins, or makes of one. */
const STRIDE = 2;

const BEFORE: FrameConvolutionOptions = { frames: 'before' };
/** In the decoder. */
const AROUND: FrameConvolutionOptions = { frames: 'around', border: 'mirrored' };

/**
 * Input: `latent_sample` [frames, channels, height, width]. Output: `sample`, frames from -1 to 1: eight for each frame
 * of the input but the first, and one for that.
 * @throws ModelUnsupported when weights are missing
 */
export function ltxvDecoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const decoder = root.at('decoder');
  const [, channels = 0] = decoder.at('conv_in.conv').shape();
  const { means, deviations } = statistics(root, channels);
  const scaled = add(root, multiply(root, 'latent_sample', deviations), means);
  let x = frameConvolution(decoder.at('conv_in.conv'), scaled, AROUND);
  for (const m of decoder.list('up_blocks'))
    x = m.at('conv.conv').exists() ? doubleSides(m.at('conv.conv'), x) : layers(m, x, AROUND);
  const last = decoder.at('conv_out.conv');
  const patches = frameConvolution(last, activated(last, x), AROUND);
  const [colors = 0] = last.shape();
  root.graph.node('Identity', [patchesToPixels(root, patches, colors)], {}, 'sample');
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['frames', channels, 'height', 'width'] }],
    [{ name: 'sample', type: 'float32', shape: ['image frames', 3, 'image height', 'image width'] }],
  );
}

/**
 * Input: `sample`, 8 n + 1 frames from -1 to 1. Output: `latent_parameters`, means: of the first frame, and of every
 * eight of the others.
 * @throws ModelUnsupported when weights are missing
 */
export function ltxvEncoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const encoder = root.at('encoder');
  const first = encoder.at('conv_in.conv');
  const [, colors = 0] = first.shape();
  let x = frameConvolution(first, pixelsToPatches(root, 'sample', colors), BEFORE);
  for (const m of encoder.list('down_blocks'))
    x = m.has('conv.weight') ? halveSides(m.at('conv'), x) : layers(m, x, BEFORE);
  const last = encoder.at('conv_out.conv');
  // The last channel is the logarithm of the variance of all others.
  const channels = (last.shape()[0] ?? 1) - 1;
  const sample = slice(root, frameConvolution(last, activated(last, x), BEFORE), 1, 0, channels);
  const { means, deviations } = statistics(root, channels);
  const scaled = root.op('Div', [root.op('Sub', [sample, means]), deviations]);
  root.graph.node('Identity', [scaled], {}, 'latent_parameters');
  return root.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['image frames', 3, 'image height', 'image width'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['frames', channels, 'height', 'width'] }],
  );
}

/** By which latents are scaled: [channels, 1, 1] each. */
function statistics(root: NetworkModule, channels: number): Record<'means' | 'deviations', Value> {
  const m = root.at('per_channel_statistics');
  const column = (name: string) => reshape(m, m.parameter(name), channels, 1, 1);
  return { means: column('mean-of-means'), deviations: column('std-of-means') };
}

const activated = (m: NetworkModule, x: Value): Value => silu(m, plainRmsNorm(m, x, EPSILON, 1));

/** A single residual layer, or several in `res_blocks`. */
function layers(m: NetworkModule, x: Value, options: FrameConvolutionOptions): Value {
  const list = m.list('res_blocks');
  if (list.length === 0) return residualLayer(m, x, options);
  return list.reduce((stream, layer) => residualLayer(layer, stream, options), x);
}

function residualLayer(m: NetworkModule, x: Value, options: FrameConvolutionOptions): Value {
  const inner = frameConvolution(m.at('conv1.conv'), activated(m.at('norm1'), x), options);
  const changed = frameConvolution(m.at('conv2.conv'), activated(m.at('norm2'), inner), options);
  const shortcut = m.at('conv_shortcut');
  if (!shortcut.exists()) return add(m, x, changed);
  const channelsLast = layerNorm(m.at('norm3.norm'), transpose(m, x, 0, 2, 3, 1), SHORTCUT_EPSILON);
  const normed = transpose(m, channelsLast, 0, 3, 1, 2);
  return add(m, frameConvolution(shortcut, normed, AROUND), changed);
}

/** Joins pairs of frames and squares of cells. */
const halveSides = (m: NetworkModule, x: Value): Value =>
  frameConvolution(m, x, { ...BEFORE, stride: { frames: STRIDE, cells: STRIDE } });

/** Channels become pairs of frames and squares of cells. The first frame becomes a single one. */
function doubleSides(m: NetworkModule, x: Value): Value {
  const all = frameConvolution(m, x, AROUND);
  const channels = (m.shape()[0] ?? 0) / STRIDE ** 3;
  const large = pixelShuffle(m, all, STRIDE);
  const ints = (...values: number[]) => m.graph.int64Initializer(values);
  const pairs = transpose(m, reshape(m, large, 0, channels, STRIDE, -1), 0, 2, 1, 3);
  const video = m.op('Reshape', [pairs, concat(m, 0, ints(-1, channels), dimensions(m, large, 2, 4))]);
  return frameSlice(m, video, 1, 0);
}
