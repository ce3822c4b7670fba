/**
 * The autoencoder of the refiner of Hunyuan Image 2.1 and of Hunyuan Video 1.5 as ONNX models, for images and for videos.
 * Frames are the first axis, and a latent cell has 16 x 16 pixels. Source: Chen et al., "Deep compression autoencoder for
 * efficient high-resolution diffusion models", 2025, with causal convolutions of frames.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { attend } from '../../layers/attention.ts';
import {
  channelsToSquares,
  groupMeans,
  repeatChannels,
  squaresToChannels,
} from '../../layers/channel-groups.ts';
import { add, concat, dimensions, reshape, slice, transpose } from '../../layers/elementary.ts';
import { frameSlice } from '../../layers/frame-convolution.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { channelNorm, convolve, head, residualBlock } from './causal-blocks.ts';

/** `image`: a single frame. `video`: at least two frames of the latent. */
export type FrameKind = 'image' | 'video';

/** The cells of a square, and of a square in two frames. */
const [SQUARE, PAIR] = [4, 8];

/**
 * Input: `latent_sample` [frames, channels, height, width]. Output: `sample`, frames from -1 to 1: four for each frame of
 * the input but the first, and one for that.
 * @param weights by their names in the file
 * @throws ModelUnsupported when weights are missing
 */
export function refinerDecoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  kind: FrameKind,
): Uint8Array<ArrayBuffer> {
  const decoder = new NetworkModule(new GraphBuilder(weights)).at('decoder');
  const [width = 0, channels = 0] = decoder.at('conv_in.conv').shape();
  const repeated = repeatChannels(decoder, 'latent_sample', channels, width / channels);
  let x = add(decoder, convolve(decoder.at('conv_in'), 'latent_sample'), repeated);
  x = middle(decoder.at('mid'), x);
  for (const [at, level] of decoder.list('up').entries()) {
    for (const block of level.list('block')) x = residualBlock(block, x);
    if (level.at('upsample').exists())
      x = enlarged(level.at('upsample'), x, widthOf(decoder.at(`up.${at + 1}`)), kind);
  }
  decoder.graph.node('Identity', [head(decoder, x)], {}, 'sample');
  return decoder.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['frames', channels, 'height', 'width'] }],
    [{ name: 'sample', type: 'float32', shape: ['image frames', 3, 'image height', 'image width'] }],
  );
}

/**
 * Input: `sample`, 4 n + 1 frames from -1 to 1. Output: `latent_parameters`, means: of the first frame, and of every four
 * of the others.
 * @param weights by their names in the file
 * @throws ModelUnsupported when weights are missing
 */
export function refinerEncoderGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  kind: FrameKind,
): Uint8Array<ArrayBuffer> {
  const encoder = new NetworkModule(new GraphBuilder(weights)).at('encoder');
  const [parameters = 0, width = 0] = encoder.at('conv_out.conv').shape();
  let x = convolve(encoder.at('conv_in'), 'sample');
  for (const [at, level] of encoder.list('down').entries()) {
    for (const block of level.list('block')) x = residualBlock(block, x);
    if (level.at('downsample').exists())
      x = reduced(level.at('downsample'), x, widthOf(encoder.at(`down.${at + 1}`)), kind);
  }
  x = middle(encoder.at('mid'), x);
  const latent = head(encoder, x);
  const all = add(encoder, latent, groupMeans(encoder, x, width, parameters, latent));
  // The second half are logarithms of variances.
  encoder.graph.node('Identity', [slice(encoder, all, 1, 0, parameters / 2)], {}, 'latent_parameters');
  return encoder.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['image frames', 3, 'image height', 'image width'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['frames', parameters / 2, 'height', 'width'] }],
  );
}

/** The channels that a level takes. */
const widthOf = (level: NetworkModule): number => level.at('block.0.conv1.conv').shape()[1]!;

function middle(m: NetworkModule, x: Value): Value {
  const seen = attention(m.at('attn_1'), residualBlock(m.at('block_1'), x));
  return residualBlock(m.at('block_2'), seen);
}

/** All cells of all frames see each other, as in ComfyUI. */
function attention(m: NetworkModule, x: Value): Value {
  const normed = channelNorm(m.at('norm'), x);
  const [width = 0] = m.at('norm').shape('gamma');
  const project = (name: string) =>
    reshape(m, transpose(m, convolve(m.at(name), normed), 0, 2, 3, 1), 1, -1, width);
  const mixed = attend(m, [project('q'), project('k'), project('v')], width, { heads: 1 });
  const ints = (...values: number[]) => m.graph.int64Initializer(values);
  const shape = concat(m, 0, dimensions(m, x, 0, 1), dimensions(m, x, 2, 4), ints(width));
  const video = transpose(m, m.op('Reshape', [mixed, shape]), 0, 3, 1, 2);
  return add(m, x, convolve(m.at('proj_out'), video));
}

/** The first frame, and the others. */
const firstFrame = (m: NetworkModule, x: Value): Value => frameSlice(m, x, 0, 1);
const laterFrames = (m: NetworkModule, x: Value): Value => frameSlice(m, x, 1, 0);

/** Halves the sides, and at some levels the number of frames after the first. @param outputs channels of the result */
function reduced(m: NetworkModule, x: Value, outputs: number, kind: FrameKind): Value {
  const [part = 0, inputs = 0] = m.at('conv.conv').shape();
  const changed = convolve(m.at('conv'), x);
  if (outputs === part * SQUARE) {
    const squares = squaresToChannels(m, changed);
    return add(m, squares, groupMeans(m, squaresToChannels(m, x), inputs * SQUARE, outputs, squares));
  }
  const single = squaresToChannels(m, kind === 'image' ? changed : firstFrame(m, changed));
  const first = concat(m, 1, single, single);
  const ownFirst = squaresToChannels(m, kind === 'image' ? x : firstFrame(m, x));
  const start = add(m, first, groupMeans(m, ownFirst, inputs * SQUARE, outputs, first));
  if (kind === 'image') return start;
  const later = joinPairs(m, squaresToChannels(m, laterFrames(m, changed)), part * SQUARE);
  const ownLater = joinPairs(m, squaresToChannels(m, laterFrames(m, x)), inputs * SQUARE);
  return concat(m, 0, start, add(m, later, groupMeans(m, ownLater, inputs * PAIR, outputs, later)));
}

/** Doubles the sides, and at some levels the number of frames after the first. @param outputs channels of the result */
function enlarged(m: NetworkModule, x: Value, outputs: number, kind: FrameKind): Value {
  const [all = 0, inputs = 0] = m.at('conv.conv').shape();
  const changed = convolve(m.at('conv'), x);
  const repeats = (value: Value, channels: number) => repeatChannels(m, value, inputs, channels / inputs);
  if (all === outputs * SQUARE)
    return add(m, channelsToSquares(m, changed), channelsToSquares(m, repeats(x, all)));
  // The first frame becomes one instead of two.
  const single = channelsToSquares(m, kind === 'image' ? changed : firstFrame(m, changed));
  const ownSingle = repeats(kind === 'image' ? x : firstFrame(m, x), all / 2);
  const first = add(m, slice(m, single, 1, 0, outputs), channelsToSquares(m, ownSingle));
  if (kind === 'image') return first;
  const split = (value: Value) => channelsToSquares(m, splitPairs(m, value, all / 2));
  const later = add(m, split(laterFrames(m, changed)), split(repeats(laterFrames(m, x), all)));
  return concat(m, 0, first, later);
}

/** Two frames in a row as channels of one. @param channels of a frame */
const joinPairs = (m: NetworkModule, x: Value, channels: number): Value =>
  m.op('Reshape', [x, concat(m, 0, m.graph.int64Initializer([-1, 2 * channels]), dimensions(m, x, 2, 4))]);

/** Reverts `joinPairs`. @param channels of a frame of the result */
const splitPairs = (m: NetworkModule, x: Value, channels: number): Value =>
  m.op('Reshape', [x, concat(m, 0, m.graph.int64Initializer([-1, channels]), dimensions(m, x, 2, 4))]);
