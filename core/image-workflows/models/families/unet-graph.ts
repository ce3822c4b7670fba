/**
 * The UNet of latent diffusion (Rombach et al., "High-resolution image synthesis with latent diffusion models", 2022,
 * section 3; Podell et al., "SDXL", 2023, section 2.1). Its structure follows from the names and shapes of its weights.
 */
import { GraphBuilder, type StoredTensor, type ValueInfo } from '#core/tensors';
import { attention } from '../layers/attention.ts';
import { convolution, enlarge } from '../layers/convolution.ts';
import { add, concat, reshape, silu, transpose } from '../layers/elementary.ts';
import { gatedFeedForward } from '../layers/feed-forward.ts';
import { linear } from '../layers/linear.ts';
import { NetworkModule, type Value } from '../layers/network-module.ts';
import { groupNorm, layerNorm } from '../layers/norms.ts';
import { embeddingLayers, sinusoid } from '../layers/timestep-embedding.ts';

/** The width of the embedding of each of SDXL's sizes. */
const SIZE_EMBEDDING = 256;

export interface UnetOptions {
  /** The number of heads, for networks whose heads differ in width. */
  heads?: number;
  /** The width of a head, for the other networks. */
  headWidth?: number;
  /** Groups of its group norms. Default: 32. */
  normGroups?: number;
}

/**
 * The ONNX model of a UNet in the diffusers layout.
 * Inputs: `sample` [batch, channels, height, width], `timestep` [1], `encoder_hidden_states` [batch, tokens, width]; for
 * SDXL `text_embeds` [batch, width] and `time_ids` [batch, 6].
 * Output: `out_sample`, as large as `sample`.
 * @param weights by their names in diffusers
 * @throws ModelUnsupported when weights are missing
 */
export function unetGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  options: UnetOptions,
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder(weights);
  const unet = new NetworkModule(graph, '', options.normGroups);
  const [width = 0, inputChannels = 0] = unet.at('conv_in').shape();
  const [outputChannels = 0] = unet.at('conv_out').shape();
  const inputs: ValueInfo[] = [
    { name: 'sample', type: 'float32', shape: ['batch', inputChannels, 'height', 'width'] },
    { name: 'timestep', type: 'float32', shape: [1] },
    { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'tokens', contextWidth(unet)] },
  ];
  let time = embeddingLayers(unet.at('time_embedding'), sinusoid(unet, 'timestep', width));
  const added = unet.at('add_embedding');
  if (added.exists()) {
    const [, total = 0] = added.at('linear_1').shape();
    const { inputs: sizes, embedding } = sizesAndPooled(added, total);
    inputs.push(...sizes);
    time = add(unet, time, embedding);
  }
  // Every residual block takes the embedding after this activation.
  const activated = silu(unet, time);
  const block = { time: activated, ...options };

  let x = convolution(unet.at('conv_in'), 'sample');
  const skips = [x];
  for (const level of unet.list('down_blocks')) {
    for (const [resnet, attentions] of layersOf(level)) {
      x = layer(resnet, attentions, x, block);
      skips.push(x);
    }
    const downsampler = level.at('downsamplers.0.conv');
    if (downsampler.exists()) {
      x = convolution(downsampler, x, { stride: 2 });
      skips.push(x);
    }
  }
  x = middle(unet.at('mid_block'), x, block);
  for (const level of unet.list('up_blocks')) {
    for (const [resnet, attentions] of layersOf(level)) {
      x = layer(resnet, attentions, concat(level, 1, x, skips.pop()!), block);
    }
    const upsampler = level.at('upsamplers.0');
    if (upsampler.exists()) x = convolution(upsampler.at('conv'), enlarge(upsampler, x, skips.at(-1)));
  }
  const normed = silu(unet, groupNorm(unet.at('conv_norm_out'), x, 1e-5));
  graph.node('Identity', [convolution(unet.at('conv_out'), normed)], {}, 'out_sample');
  return graph.buildModel(inputs, [
    { name: 'out_sample', type: 'float32', shape: ['batch', outputChannels, 'height', 'width'] },
  ]);
}

interface BlockInputs extends UnetOptions {
  time: Value;
}

/** The residual blocks of a level, each with the transformer that follows it. */
function layersOf(level: NetworkModule): [NetworkModule, NetworkModule][] {
  return level.list('resnets').map((resnet, index) => [resnet, level.at(`attentions.${index}`)]);
}

function layer(resnet: NetworkModule, transformer: NetworkModule, x: Value, block: BlockInputs): Value {
  const changed = residualBlock(resnet, x, block.time);
  return transformer.exists() ? spatialTransformer(transformer, changed, block) : changed;
}

function middle(m: NetworkModule, x: Value, block: BlockInputs): Value {
  if (!m.exists()) return x;
  const [first, second] = m.list('resnets');
  let changed = residualBlock(first!, x, block.time);
  const transformer = m.at('attentions.0');
  // Self-attention guidance reads the attention map here.
  if (transformer.exists()) changed = spatialTransformer(transformer, changed, block, true);
  return second ? residualBlock(second, changed, block.time) : changed;
}

/** He et al., "Deep residual learning", 2016, with group norms, and the time added between its convolutions. */
function residualBlock(m: NetworkModule, x: Value, time: Value): Value {
  const first = convolution(m.at('conv1'), silu(m, groupNorm(m.at('norm1'), x, 1e-5)));
  const shift = m.op('Unsqueeze', [linear(m.at('time_emb_proj'), time), m.graph.int64Initializer([2, 3])]);
  const second = convolution(m.at('conv2'), silu(m, groupNorm(m.at('norm2'), add(m, first, shift), 1e-5)));
  const shortcut = m.at('conv_shortcut');
  return add(m, shortcut.exists() ? convolution(shortcut, x) : x, second);
}

/** Transformer blocks over all cells of an image, which see the prompt. */
function spatialTransformer(m: NetworkModule, x: Value, block: BlockInputs, isDecomposed = false): Value {
  const projection = m.at('proj_in');
  const [width = 0] = projection.shape();
  const isLinear = projection.shape().length === 2;
  const normed = groupNorm(m.at('norm'), x, 1e-6);
  const toTokens = (image: Value) => transpose(m, reshape(m, image, 0, 0, -1), 0, 2, 1);
  let tokens = isLinear ? linear(projection, toTokens(normed)) : toTokens(convolution(projection, normed));
  const heads = block.heads ?? width / block.headWidth!;
  for (const inner of m.list('transformer_blocks'))
    tokens = transformerBlock(inner, tokens, heads, isDecomposed);
  const output = m.at('proj_out');
  const toImage = (values: Value) => m.op('Reshape', [transpose(m, values, 0, 2, 1), m.op('Shape', [x])]);
  const projected = isLinear ? toImage(linear(output, tokens)) : convolution(output, toImage(tokens));
  return add(m, projected, x);
}

function transformerBlock(m: NetworkModule, tokens: Value, heads: number, isDecomposed: boolean): Value {
  const normed = layerNorm(m.at('norm1'), tokens);
  const self = add(m, attention(m.at('attn1'), normed, normed, { heads, isDecomposed }), tokens);
  const query = layerNorm(m.at('norm2'), self);
  const seen = add(
    m,
    attention(m.at('attn2'), query, 'encoder_hidden_states', { heads, isDecomposed }),
    self,
  );
  return add(m, gatedFeedForward(m.at('ff'), layerNorm(m.at('norm3'), seen)), seen);
}

/** SDXL's sizes and pooled text as one embedding (Podell et al., 2023, section 2.2). */
function sizesAndPooled(m: NetworkModule, width: number): { inputs: ValueInfo[]; embedding: Value } {
  // The base model takes six sizes, the refiner five.
  const count = width === 2560 ? 5 : 6;
  const pooledWidth = width - count * SIZE_EMBEDDING;
  const flat = reshape(m, 'time_ids', -1);
  const sizes = reshape(m, sinusoid(m, flat, SIZE_EMBEDDING), -1, count * SIZE_EMBEDDING);
  return {
    inputs: [
      { name: 'text_embeds', type: 'float32', shape: ['batch', pooledWidth] },
      { name: 'time_ids', type: 'float32', shape: ['batch', count] },
    ],
    embedding: embeddingLayers(m, concat(m, -1, 'text_embeds', sizes)),
  };
}

/** The width of the prompt's embeddings. 0 for a network that takes no prompt. */
function contextWidth(unet: NetworkModule): number {
  const end = '.weight';
  for (const name of unet.graph.weights.keys())
    if (name.endsWith(`.attn2.to_k${end}`)) return unet.at(name.slice(0, -end.length)).shape()[1] ?? 0;
  return 0;
}
