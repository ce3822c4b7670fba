/**
 * The autoencoder of Hunyuan Video as two ONNX models. Frames are the first axis. Source: Kong et al., "HunyuanVideo: a
 * systematic framework for large video generative models", 2025, section 4.1.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { enlarge } from '../../layers/convolution.ts';
import { add, concat, dimensions, reshape, silu, slice, transpose } from '../../layers/elementary.ts';
import { frameConvolution, frameSlice } from '../../layers/frame-convolution.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { groupNorm } from '../../layers/norms.ts';

const EPSILON = 1e-6;
/** How often frames are joined in pairs: in the last layers that change the sides. */
const FRAME_STEPS = 2;

/**
 * Input: `latent_sample` [frames, channels, height, width]. Output: `sample`, frames from -1 to 1: four for each frame
 * of the input but the first, and one for that.
 * @throws ModelUnsupported when weights are missing
 */
export function hunyuanDecoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const decoder = root.at('decoder');
  const [, channels = 0] = decoder.at('conv_in.conv').shape();
  const quantized = root.at('post_quant_conv');
  const latent = quantized.exists() ? convolve(quantized, 'latent_sample') : 'latent_sample';
  let x = middle(decoder.at('mid'), convolve(decoder.at('conv_in'), latent));
  for (const [level, m] of [...decoder.list('up').entries()].reverse()) {
    x = m.list('block').reduce((stream, layer) => residualLayer(layer, stream), x);
    const next = m.at('upsample.conv');
    if (next.exists()) x = convolve(next, doubleSides(next, x, level <= FRAME_STEPS));
  }
  root.graph.node('Identity', [head(decoder, x)], {}, 'sample');
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['frames', channels, 'height', 'width'] }],
    [{ name: 'sample', type: 'float32', shape: ['image frames', 3, 'image height', 'image width'] }],
  );
}

/**
 * Input: `sample`, 4 n + 1 frames from -1 to 1. Output: `latent_parameters`, means: of the first frame, and of every
 * four of the others.
 * @throws ModelUnsupported when weights are missing
 */
export function hunyuanEncoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const encoder = root.at('encoder');
  const [parameters = 0] = encoder.at('conv_out.conv').shape();
  const levels = encoder.list('down');
  let x = convolve(encoder.at('conv_in'), 'sample');
  for (const [level, m] of levels.entries()) {
    x = m.list('block').reduce((stream, layer) => residualLayer(layer, stream), x);
    const next = m.at('downsample.conv');
    const frames = level >= levels.length - 1 - FRAME_STEPS ? 2 : 1;
    if (next.exists()) x = convolve(next, x, { frames, cells: 2 });
  }
  const all = head(encoder, middle(encoder.at('mid'), x));
  const quantized = root.at('quant_conv');
  const both = quantized.exists() ? convolve(quantized, all) : all;
  // The second half are logarithms of variances.
  root.graph.node('Identity', [slice(root, both, 1, 0, parameters / 2)], {}, 'latent_parameters');
  return root.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['image frames', 3, 'image height', 'image width'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['frames', parameters / 2, 'height', 'width'] }],
  );
}

/** No frame sees a later one. The border is repeated. Some convolutions are a module of their own. */
function convolve(m: NetworkModule, x: Value, stride = { frames: 1, cells: 1 }): Value {
  const own = m.at('conv').exists() ? m.at('conv') : m;
  return frameConvolution(own, x, { frames: 'before', border: 'repeated', stride });
}

const head = (m: NetworkModule, x: Value): Value =>
  convolve(m.at('conv_out'), silu(m, videoNorm(m.at('norm_out'), x)));

function middle(m: NetworkModule, x: Value): Value {
  const seen = attention(m.at('attn_1'), residualLayer(m.at('block_1'), x));
  return residualLayer(m.at('block_2'), seen);
}

function residualLayer(m: NetworkModule, x: Value): Value {
  const first = convolve(m.at('conv1'), silu(m, videoNorm(m.at('norm1'), x)));
  const second = convolve(m.at('conv2'), silu(m, videoNorm(m.at('norm2'), first)));
  const shortcut = m.at('nin_shortcut');
  return add(m, shortcut.exists() ? convolve(shortcut, x) : x, second);
}

/** Over the cells of all frames together. */
function videoNorm(m: NetworkModule, x: Value): Value {
  const byChannel = transpose(m, x, 1, 0, 2, 3);
  const batch = m.op('Unsqueeze', [reshape(m, byChannel, 0, 0, -1), m.graph.int64Initializer([0])]);
  const normed = m.op('Reshape', [groupNorm(m, batch, EPSILON), m.op('Shape', [byChannel])]);
  return transpose(m, normed, 1, 0, 2, 3);
}

/** All cells of all frames see each other, as in ComfyUI. */
function attention(m: NetworkModule, x: Value): Value {
  const normed = videoNorm(m.at('norm'), x);
  const project = (name: string) => {
    const cells = transpose(m, convolve(m.at(name), normed), 0, 2, 3, 1);
    return reshape(m, cells, 1, -1, width);
  };
  const [width = 0] = m.at('norm').shape();
  const mixed = attend(m, [project('q'), project('k'), project('v')], width, { heads: 1 });
  const ints = (...values: number[]) => m.graph.int64Initializer(values);
  const shape = concat(m, 0, dimensions(m, x, 0, 1), dimensions(m, x, 2, 4), ints(width));
  const video = transpose(m, m.op('Reshape', [mixed, shape]), 0, 3, 1, 2);
  return add(m, x, convolve(m.at('proj_out'), video));
}

/** Repeats each cell, and if `isLonger` each frame but the first. */
function doubleSides(m: NetworkModule, x: Value, isLonger: boolean): Value {
  const large = enlarge(m, x);
  if (!isLonger) return large;
  const ints = (...values: number[]) => m.graph.int64Initializer(values);
  const pairs = m.op('Unsqueeze', [large, ints(1)]);
  const both = concat(m, 1, pairs, pairs);
  const shape = concat(m, 0, ints(-1), dimensions(m, large, 1, 4));
  return frameSlice(m, m.op('Reshape', [both, shape]), 1, 0);
}
