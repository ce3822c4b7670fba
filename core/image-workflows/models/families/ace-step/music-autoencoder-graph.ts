/**
 * The autoencoder of ACE-Step as two ONNX models. Sources: Gong et al., "ACE-Step: a step towards music generation
 * foundation model", 2025, section 3; Chen et al., "Deep compression autoencoder for efficient high-resolution diffusion
 * models", 2024.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { convolution, enlarge } from '../../layers/convolution.ts';
import {
  add,
  channelsFirst,
  channelsLast,
  concat,
  dimensions,
  multiply,
  relu,
  reshape,
  scaled,
  silu,
  slice,
} from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { gatherChannels, pixelShuffle, pixelUnshuffle } from '../../layers/pixel-shuffle.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { vocoder } from './vocoder.ts';

/** The network sees (latents - shift) · factor. */
const [LATENT_SHIFT, LATENT_FACTOR] = [-1.9091, 0.1786];
/** The logarithms of loudness that become -1 and 1. */
const [SILENT, LOUD] = [-11, 3];
const [HALF_RANGE, MIDDLE] = [(LOUD - SILENT) / 2, (LOUD + SILENT) / 2];
const EPSILON = 1e-5;
const ATTENTION_EPSILON = 1e-15;
const HEAD_WIDTH = 32;

/**
 * Input: `sample` [batch, 2, bands, steps], logarithms of the loudness of bands.
 * Output: `latent_parameters` [batch, channels, bands / 8, steps / 8].
 * @throws ModelUnsupported when weights are missing
 */
export function musicEncoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const m = root.at('dcae.encoder');
  const [first = 1, colors = 2] = m.at('conv_in').shape();
  const shifted = add(root, 'sample', root.graph.scalarInitializer(-MIDDLE));
  let x = convolution(m.at('conv_in'), scaled(root, shifted, 1 / HALF_RANGE));
  let channels = first;
  for (const level of m.list('down_blocks'))
    for (const block of level.list()) {
      x = block.at('conv').exists() ? smaller(block, x, channels) : anyBlock(block, x);
      if (block.at('conv').exists()) [channels = 1] = block.at('conv').shape();
    }
  const [latents = 1] = m.at('conv_out').shape();
  const encoded = convolution(m.at('conv_out'), x);
  const sum = add(m, encoded, means(m, x, latents, channels / latents, encoded));
  const centered = add(root, sum, root.graph.scalarInitializer(-LATENT_SHIFT));
  root.graph.node('Identity', [scaled(root, centered, LATENT_FACTOR)], {}, 'latent_parameters');
  return root.graph.buildModel(
    [{ name: 'sample', type: 'float32', shape: ['batch', colors, 'bands', 'steps'] }],
    [{ name: 'latent_parameters', type: 'float32', shape: ['batch', latents, 'rows', 'cells'] }],
  );
}

/**
 * Input: `latent_sample` [batch, channels, rows, cells]. Output: `sample` [batch, 2, samples].
 * @throws ModelUnsupported when weights are missing
 */
export function musicDecoderGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const m = root.at('dcae.decoder');
  const [width = 1, latents = 1] = m.at('conv_in').shape();
  const unscaled = scaled(root, 'latent_sample', 1 / LATENT_FACTOR);
  const z = add(root, unscaled, root.graph.scalarInitializer(LATENT_SHIFT));
  let channels = width;
  let x = add(m, convolution(m.at('conv_in'), z), repeatChannels(m, z, latents, width / latents));
  for (const level of m.list('up_blocks').reverse())
    for (const block of level.list()) {
      x = block.at('conv').exists() ? larger(block, x, channels) : anyBlock(block, x);
      if (block.at('conv').exists()) [channels = 1] = block.at('conv').shape();
    }
  const last = convolution(m.at('conv_out'), relu(m, channelNorm(m.at('norm_out'), x)));
  const [colors = 2] = m.at('conv_out').shape();
  const loudness = add(root, scaled(root, last, HALF_RANGE), root.graph.scalarInitializer(MIDDLE));
  const bands = root.at('vocoder.backbone.channel_layers.0.0').shape()[1]!;
  const steps = concat(root, 0, root.graph.int64Initializer([-1, bands]), dimensions(root, loudness, 3, 4));
  const wave = vocoder(root.at('vocoder'), root.op('Reshape', [loudness, steps]));
  root.graph.node('Identity', [reshape(root, wave, -1, colors, 0)], {}, 'sample');
  return root.graph.buildModel(
    [{ name: 'latent_sample', type: 'float32', shape: ['batch', latents, 'rows', 'cells'] }],
    [{ name: 'sample', type: 'float32', shape: ['batch', colors, 'samples'] }],
  );
}

const anyBlock = (m: NetworkModule, x: Value): Value =>
  m.at('attn').exists() ? gatedConvolutions(m.at('conv_out'), attention(m.at('attn'), x)) : residual(m, x);

/** A norm over the channels, with a bias. */
const channelNorm = (m: NetworkModule, x: Value): Value =>
  channelsFirst(m, add(m, rmsNorm(m, channelsLast(m, x), { epsilon: EPSILON }), m.parameter('bias')));

function residual(m: NetworkModule, x: Value): Value {
  const inner = silu(m, convolution(m.at('conv1'), x));
  return add(m, channelNorm(m.at('norm'), convolution(m.at('conv2'), inner)), x);
}

/** Halves both sides. The shortcut takes the means of the channels that squares of cells become. */
function smaller(m: NetworkModule, x: Value, inputs: number): Value {
  const [outputs = 1] = m.at('conv').shape();
  const filtered = convolution(m.at('conv'), x, { stride: 2 });
  const squares = pixelUnshuffle(m, x, inputs, 2);
  return add(m, filtered, means(m, squares, outputs, (4 * inputs) / outputs, filtered));
}

/** Doubles both sides. The shortcut distributes repeated channels over squares of cells. */
function larger(m: NetworkModule, x: Value, inputs: number): Value {
  const [outputs = 1] = m.at('conv').shape();
  const repeated = repeatChannels(m, x, inputs, (4 * outputs) / inputs);
  return add(m, convolution(m.at('conv'), enlarge(m, x)), pixelShuffle(m, repeated, 2));
}

/** The means of neighboring channels, [batch, count, …] of [batch, count · size, …]. @param like has the result's shape */
function means(m: NetworkModule, x: Value, count: number, size: number, like: Value): Value {
  const groups = reshape(m, x, 0, count, size, -1);
  return m.op('Reshape', [m.op('ReduceMean', [groups], { axes: [2], keepdims: 0 }), m.op('Shape', [like])]);
}

/** Each channel so many times in a row. */
const repeatChannels = (m: NetworkModule, x: Value, channels: number, times: number): Value =>
  gatherChannels(
    m,
    x,
    Array.from({ length: channels * times }, (_, at) => Math.floor(at / times)),
  );

/**
 * Attention without softmax, whose cost grows with the cells alone (Cai et al., "EfficientViT", 2023, section 3.1). The
 * heads of the projections and those of filtered projections are next to each other.
 */
function attention(m: NetworkModule, x: Value): Value {
  const [inner = 1] = m.at('to_q').shape();
  const tokens = channelsLast(m, x);
  const projected = channelsFirst(
    m,
    concat(m, -1, ...['to_q', 'to_k', 'to_v'].map((name) => linear(m.at(name), tokens))),
  );
  const scales = m.list('to_qkv_multiscale').map((scale) => {
    const filtered = convolution(scale.at('proj_in'), projected, { groups: 3 * inner });
    return convolution(scale.at('proj_out'), filtered, { groups: (3 * inner) / HEAD_WIDTH });
  });
  const width = (1 + scales.length) * inner;
  const all = concat(m, 1, projected, ...scales);
  const heads = reshape(m, all, 0, width / HEAD_WIDTH, 3 * HEAD_WIDTH, -1);
  const [query, key, value] = [0, 1, 2].map((part) =>
    slice(m, heads, 2, part * HEAD_WIDTH, (part + 1) * HEAD_WIDTH),
  ) as [Value, Value, Value];
  const seen = linearAttention(m, relu(m, query), relu(m, key), value);
  const sides = concat(m, 0, m.graph.int64Initializer([0, width]), dimensions(m, x, 2, 4));
  const cells = m.op('Reshape', [seen, sides]);
  const output = channelsFirst(m, linear(m.at('to_out'), channelsLast(m, cells)));
  return add(m, channelNorm(m.at('norm_out'), output), x);
}

/** [batch, heads, width, cells] each: v kᵀ q, divided by the sums of kᵀ q. */
function linearAttention(m: NetworkModule, query: Value, key: Value, value: Value): Value {
  const sums = m.op('ReduceSum', [key, m.graph.int64Initializer([3])], { keepdims: 1 });
  const mixed = m.op('MatMul', [
    m.op('MatMul', [value, m.op('Transpose', [key], { perm: [0, 1, 3, 2] })]),
    query,
  ]);
  const total = m.op('ReduceSum', [multiply(m, sums, query), m.graph.int64Initializer([2])], { keepdims: 1 });
  return m.op('Div', [mixed, add(m, total, m.graph.scalarInitializer(ATTENTION_EPSILON))]);
}

/** Dauphin et al., "Language modeling with gated convolutional networks", 2017, with SiLU. */
function gatedConvolutions(m: NetworkModule, x: Value): Value {
  const wide = silu(m, convolution(m.at('conv_inverted'), x));
  const [width = 1] = m.at('conv_depth').shape();
  const filtered = convolution(m.at('conv_depth'), wide, { groups: width });
  const value = slice(m, filtered, 1, 0, width / 2);
  const gate = slice(m, filtered, 1, width / 2, width);
  const narrow = convolution(m.at('conv_point'), multiply(m, value, silu(m, gate)));
  return add(m, channelNorm(m.at('norm'), narrow), x);
}
