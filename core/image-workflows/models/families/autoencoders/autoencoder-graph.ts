/** The autoencoder of latent diffusion (Rombach et al., 2022, section 3.1) as two ONNX models in the diffusers layout. */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import { batchNorm } from '../../layers/batch-norm.ts';
import { convolution, enlarge } from '../../layers/convolution.ts';
import { add, dimensions, multiply, reshape, silu, slice, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { groupNorm } from '../../layers/norms.ts';
import { cellsToTokens } from '../../layers/patches.ts';
import { pixelShuffle, pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { frameBlock, fromFrames, mix, overFrames, toFrames } from '../video-unet/frame-blocks.ts';

const EPSILON = 1e-6;
/** The sides of the squares of Flux 2, in cells. */
const SQUARE = 2;
const STATISTICS_EPSILON = 1e-4;

/**
 * Input: `latent_sample` [batch, channels, height, width]. Output: `sample`, an image from -1 to 1. A decoder of videos
 * takes a batch as the frames of one.
 * @param weights by their names in diffusers
 * @param normGroups groups of its group norms. Default: 32
 * @throws ModelUnsupported when weights are missing
 */
export function decoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  normGroups?: number,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const root = new NetworkModule(graph, '', normGroups);
  const decoder = root.at('decoder');
  const [, channels = 0] = decoder.at('conv_in').shape();
  const unquantized = root.at('post_quant_conv');
  const cells = standardizedCells(root);
  let x = cells ? fromStandardized(cells, 'latent_sample') : 'latent_sample';
  if (unquantized.exists()) x = convolution(unquantized, x);
  x = middle(decoder.at('mid_block'), convolution(decoder.at('conv_in'), x));
  for (const level of decoder.list('up_blocks')) {
    for (const resnet of level.list('resnets')) x = residualBlock(resnet, x);
    const upsampler = level.at('upsamplers.0');
    if (upsampler.exists()) x = convolution(upsampler.at('conv'), enlarge(upsampler, x));
  }
  graph.node('Identity', [output(decoder, x)], {}, 'sample');
  return graph.buildModel(
    [
      {
        name: 'latent_sample',
        type: 'float32',
        shape: ['batch', cells ? channels * SQUARE ** 2 : channels, 'height', 'width'],
      },
    ],
    [{ name: 'sample', type: 'float32', shape: ['batch', 3, 'image height', 'image width'] }],
  );
}

/**
 * Input: `sample` [batch, 3, height, width], an image from -1 to 1. Output: `latent_parameters`, the mean and, in the
 * second half of the channels, the logarithm of the variance. The encoder of Flux 2 has the mean alone.
 * @param weights by their names in diffusers
 * @param normGroups groups of its group norms. Default: 32
 * @throws ModelUnsupported when weights are missing
 */
export function encoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  normGroups?: number,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const root = new NetworkModule(graph, '', normGroups);
  const encoder = root.at('encoder');
  const [parameters = 0] = encoder.at('conv_out').shape();
  let x = convolution(encoder.at('conv_in'), 'sample');
  for (const level of encoder.list('down_blocks')) {
    for (const resnet of level.list('resnets')) x = residualBlock(resnet, x);
    const downsampler = level.at('downsamplers.0.conv');
    if (downsampler.exists()) x = convolution(downsampler, x, { stride: 2, padding: { start: 0, end: 1 } });
  }
  x = output(encoder, middle(encoder.at('mid_block'), x));
  const quantized = root.at('quant_conv');
  if (quantized.exists()) x = convolution(quantized, x);
  const cells = standardizedCells(root);
  if (cells) x = toStandardized(cells, slice(encoder, x, 1, 0, parameters / 2), parameters / 2);
  const channels = cells ? (parameters / 2) * SQUARE ** 2 : parameters;
  graph.node('Identity', [x], {}, 'latent_parameters');
  return graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['batch', 3, 'image height', 'image width'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['batch', channels, 'height', 'width'] }],
  );
}

/** The statistics of Flux 2's latents, whose cells are squares of cells. Undefined for other autoencoders. */
function standardizedCells(root: NetworkModule): NetworkModule | undefined {
  const statistics = root.at('bn');
  return statistics.exists() ? statistics : undefined;
}

/** [batch, channels · square², height, width] to [batch, channels, height · square, width · square]. */
function fromStandardized(m: NetworkModule, x: Value): Value {
  const [channels = 0] = m.shape('running_mean');
  const perChannel = (value: Value) => reshape(m, value, 1, channels, 1, 1);
  const variance = add(m, m.parameter('running_var'), m.graph.scalarInitializer(STATISTICS_EPSILON));
  const scaled = multiply(m, x, perChannel(m.op('Sqrt', [variance])));
  return pixelShuffle(m, add(m, scaled, perChannel(m.parameter('running_mean'))), SQUARE);
}

/** Reverts `fromStandardized`. @param channels of `x` */
const toStandardized = (m: NetworkModule, x: Value, channels: number): Value =>
  batchNorm(m, pixelUnshuffle(m, x, channels, SQUARE), STATISTICS_EPSILON);

function middle(m: NetworkModule, x: Value): Value {
  const [first, second] = m.list('resnets');
  const attended = spatialAttention(m.at('attentions.0'), residualBlock(first!, x));
  return residualBlock(second!, attended);
}

function output(m: NetworkModule, x: Value): Value {
  const image = convolution(m.at('conv_out'), silu(m, groupNorm(m.at('conv_norm_out'), x, EPSILON)));
  const frames = m.at('conv_out.time_mix_conv');
  if (!frames.exists()) return image;
  return fromFrames(frames, overFrames(frames, toFrames(frames, image, allFrames(m, image))), image);
}

function residualBlock(m: NetworkModule, x: Value): Value {
  const first = convolution(m.at('conv1'), silu(m, groupNorm(m.at('norm1'), x, EPSILON)));
  const second = convolution(m.at('conv2'), silu(m, groupNorm(m.at('norm2'), first, EPSILON)));
  const shortcut = m.at('conv_shortcut');
  const image = add(m, shortcut.exists() ? convolution(shortcut, x) : x, second);
  const time = m.at('time_stack');
  if (!time.exists()) return image;
  return mix(m, frameBlock(time, image, { frames: allFrames(m, image) }), image, m.parameter('mix_factor'));
}

/** All images of a batch are the frames of one video: int64 [1]. */
const allFrames = (m: NetworkModule, x: Value): Value => dimensions(m, x, 0, 1);

/** Attention of all cells to each other, with one head. */
function spatialAttention(m: NetworkModule, x: Value): Value {
  const normed = groupNorm(m.at('group_norm'), x, EPSILON);
  const tokens = cellsToTokens(m, normed);
  const projected = [
    linear(m.at('to_q'), tokens),
    linear(m.at('to_k'), tokens),
    linear(m.at('to_v'), tokens),
  ] as const;
  const mixed = attend(m, projected, m.at('to_q').shape()[0]!, { heads: 1 });
  const out = transpose(m, linear(m.at('to_out.0'), mixed), 0, 2, 1);
  return add(m, m.op('Reshape', [out, m.op('Shape', [x])]), x);
}
