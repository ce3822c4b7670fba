/**
 * The autoencoder of Hunyuan Image 2.1 as two ONNX models. A latent cell has 32 x 32 pixels. Source: Chen et al., "Deep
 * compression autoencoder for efficient high-resolution diffusion models", 2025.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import {
  channelsToSquares,
  groupMeans,
  repeatChannels,
  squaresToChannels,
} from '../../layers/channel-groups.ts';
import { convolution } from '../../layers/convolution.ts';
import { add, silu, transpose } from '../../layers/elementary.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { groupNorm } from '../../layers/norms.ts';
import { cellsToTokens } from '../../layers/patches.ts';

const EPSILON = 1e-6;
/** The cells of a square. */
const SQUARE = 4;

/**
 * Input: `latent_sample` [batch, channels, height, width]. Output: `sample`, an image from -1 to 1.
 * @param weights by their names in the file
 * @throws ModelUnsupported when weights are missing
 */
export function hunyuanImageDecoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
): Uint8Array<ArrayBuffer> {
  const decoder = new NetworkModule(new GraphBuilder(weights)).at('decoder');
  const [width = 0, channels = 0] = decoder.at('conv_in').shape();
  const repeated = repeatChannels(decoder, 'latent_sample', channels, width / channels);
  let x = add(decoder, convolution(decoder.at('conv_in'), 'latent_sample'), repeated);
  x = middle(decoder.at('mid'), x);
  for (const level of decoder.list('up')) {
    for (const block of level.list('block')) x = residualBlock(block, x);
    if (level.at('upsample').exists()) x = enlarged(level.at('upsample'), x);
  }
  decoder.graph.node('Identity', [head(decoder, x)], {}, 'sample');
  return decoder.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
    [{ name: 'sample', type: 'float32', shape: ['batch', 3, 'image height', 'image width'] }],
  );
}

/**
 * Input: `sample` [batch, 3, height, width], an image from -1 to 1. Output: `latent_parameters`, the mean and, in the
 * second half of the channels, the logarithm of the variance.
 * @param weights by their names in the file
 * @throws ModelUnsupported when weights are missing
 */
export function hunyuanImageEncoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
): Uint8Array<ArrayBuffer> {
  const encoder = new NetworkModule(new GraphBuilder(weights)).at('encoder');
  const [parameters = 0, width = 0] = encoder.at('conv_out').shape();
  let x = convolution(encoder.at('conv_in'), 'sample');
  for (const level of encoder.list('down')) {
    for (const block of level.list('block')) x = residualBlock(block, x);
    if (level.at('downsample').exists()) x = reduced(level.at('downsample'), x);
  }
  x = middle(encoder.at('mid'), x);
  const latent = head(encoder, x);
  const all = add(encoder, latent, groupMeans(encoder, x, width, parameters, latent));
  encoder.graph.node('Identity', [all], {}, 'latent_parameters');
  return encoder.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['batch', 3, 'image height', 'image width'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['batch', parameters, 'height', 'width'] }],
  );
}

const head = (m: NetworkModule, x: Value): Value =>
  convolution(m.at('conv_out'), silu(m, groupNorm(m.at('norm_out'), x, EPSILON)));

function middle(m: NetworkModule, x: Value): Value {
  const seen = spatialAttention(m.at('attn_1'), residualBlock(m.at('block_1'), x));
  return residualBlock(m.at('block_2'), seen);
}

function residualBlock(m: NetworkModule, x: Value): Value {
  const first = convolution(m.at('conv1'), silu(m, groupNorm(m.at('norm1'), x, EPSILON)));
  const second = convolution(m.at('conv2'), silu(m, groupNorm(m.at('norm2'), first, EPSILON)));
  const shortcut = m.at('nin_shortcut');
  return add(m, shortcut.exists() ? convolution(shortcut, x) : x, second);
}

/** All cells see each other, with one head. */
function spatialAttention(m: NetworkModule, x: Value): Value {
  const normed = groupNorm(m.at('norm'), x, EPSILON);
  const tokens = (name: string) => cellsToTokens(m, convolution(m.at(name), normed));
  const [width = 0] = m.at('q').shape();
  const mixed = attend(m, [tokens('q'), tokens('k'), tokens('v')], width, { heads: 1 });
  const image = m.op('Reshape', [transpose(m, mixed, 0, 2, 1), m.op('Shape', [x])]);
  return add(m, x, convolution(m.at('proj_out'), image));
}

/** Halves the sides. The shortcut has the means of the channels that become one. */
function reduced(m: NetworkModule, x: Value): Value {
  const [part = 0, inputs = 0] = m.at('conv').shape();
  const changed = squaresToChannels(m, convolution(m.at('conv'), x));
  return add(m, changed, groupMeans(m, squaresToChannels(m, x), inputs * SQUARE, part * SQUARE, changed));
}

/** Doubles the sides. The shortcut repeats channels. */
function enlarged(m: NetworkModule, x: Value): Value {
  const [all = 0, inputs = 0] = m.at('conv').shape();
  const repeated = repeatChannels(m, x, inputs, all / inputs);
  return add(m, channelsToSquares(m, convolution(m.at('conv'), x)), channelsToSquares(m, repeated));
}
