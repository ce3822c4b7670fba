/**
 * The blocks that UNets of latent diffusion share with their control nets (Rombach et al., "High-resolution image
 * synthesis with latent diffusion models", 2022, section 3; Podell et al., "SDXL", 2023, section 2.1).
 */
import { attention } from '../../layers/attention.ts';
import { convolution } from '../../layers/convolution.ts';
import { add, silu, transpose } from '../../layers/elementary.ts';
import { gatedFeedForward } from '../../layers/feed-forward.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { groupNorm, layerNorm } from '../../layers/norms.ts';
import { cellsToTokens } from '../../layers/patches.ts';
import { gatedAttention } from '../gligen/gligen-layers.ts';
import { mixOverFrames } from '../video-unet/frame-blocks.ts';
import { mixTokensOverFrames } from '../video-unet/frame-transformer.ts';

export interface UnetOptions {
  /** The number of heads, for networks whose heads differ in width. */
  heads?: number;
  /** The width of a head, for the other networks. */
  headWidth?: number;
  /** Groups of its group norms. Default: 32. */
  normGroups?: number;
}

export interface BlockInputs extends UnetOptions {
  /** The embedding of the timestep after its activation. */
  time: Value;
  /** The prompt, [batch, tokens, width]. */
  prompt: Value;
  /** The number of frames of each video, int64 [1]. Undefined: the network makes images. */
  frames?: Value;
  /** Tokens of boxes, for the layers of GLIGEN. */
  objects?: Value;
}

/** Changes the value of a block on the way down. @param index of the block, as for `downPath`'s skips */
type BlockChange = (m: NetworkModule, value: Value, index: number) => Value;

/**
 * The blocks on the way down.
 * @param after changes the value of each block. Default: leaves it
 * @returns the last value, and the values for the skip connections: the first is `x`
 */
export function downPath(
  unet: NetworkModule,
  x: Value,
  block: BlockInputs,
  after: BlockChange = (_, value) => value,
): { x: Value; skips: Value[] } {
  let last = x;
  const skips = [x];
  const finish = (m: NetworkModule, value: Value) => {
    last = after(m, value, skips.length);
    skips.push(last);
  };
  for (const level of unet.list('down_blocks')) {
    for (const [resnet, attentions] of layersOf(level))
      finish(attentions.exists() ? attentions : resnet, layer(resnet, attentions, last, block));
    const downsampler = level.at('downsamplers.0.conv');
    if (downsampler.exists()) finish(downsampler, convolution(downsampler, last, { stride: 2 }));
  }
  return { x: last, skips };
}

/** The residual blocks of a level, each with the transformer that follows it. */
export function layersOf(level: NetworkModule): [NetworkModule, NetworkModule][] {
  return level.list('resnets').map((resnet, index) => [resnet, level.at(`attentions.${index}`)]);
}

/** A residual block, and the transformer that follows it if there is one. */
export function layer(
  resnet: NetworkModule,
  transformer: NetworkModule,
  x: Value,
  block: BlockInputs,
): Value {
  const changed = residualBlock(resnet, x, block);
  return transformer.exists() ? spatialTransformer(transformer, changed, block) : changed;
}

/** The block between the way down and the way up. Some distilled networks have none. */
export function middle(m: NetworkModule, x: Value, block: BlockInputs): Value {
  if (!m.exists()) return x;
  const [first, second] = m.list('resnets');
  let changed = residualBlock(first!, x, block);
  const transformer = m.at('attentions.0');
  // Self-attention guidance reads the attention map here.
  if (transformer.exists()) changed = spatialTransformer(transformer, changed, block, true);
  return second ? residualBlock(second, changed, block) : changed;
}

/** He et al., "Deep residual learning", 2016, with group norms, and the time added between its convolutions. */
function residualBlock(m: NetworkModule, x: Value, { time, frames }: BlockInputs): Value {
  const first = convolution(m.at('conv1'), silu(m, groupNorm(m.at('norm1'), x, 1e-5)));
  const shift = m.op('Unsqueeze', [linear(m.at('time_emb_proj'), time), m.graph.int64Initializer([2, 3])]);
  const second = convolution(m.at('conv2'), silu(m, groupNorm(m.at('norm2'), add(m, first, shift), 1e-5)));
  const shortcut = m.at('conv_shortcut');
  const image = add(m, shortcut.exists() ? convolution(shortcut, x) : x, second);
  return frames === undefined ? image : mixOverFrames(m, image, { frames, time });
}

/** Transformer blocks over all cells of an image, which see the prompt. */
function spatialTransformer(m: NetworkModule, x: Value, block: BlockInputs, isDecomposed = false): Value {
  const projection = m.at('proj_in');
  const [width = 0] = projection.shape();
  const isLinear = projection.shape().length === 2;
  const normed = groupNorm(m.at('norm'), x, 1e-6);
  let tokens = isLinear
    ? linear(projection, cellsToTokens(m, normed))
    : cellsToTokens(m, convolution(projection, normed));
  const heads = block.heads ?? width / block.headWidth!;
  const { frames, prompt, objects } = block;
  for (const [index, inner] of m.list('transformer_blocks').entries()) {
    tokens = transformerBlock(inner, tokens, { prompt, objects, heads, isDecomposed });
    if (frames !== undefined) tokens = mixTokensOverFrames(m, index, tokens, { ...block, frames, heads });
  }
  const output = m.at('proj_out');
  const toImage = (values: Value) => m.op('Reshape', [transpose(m, values, 0, 2, 1), m.op('Shape', [x])]);
  const projected = isLinear ? toImage(linear(output, tokens)) : convolution(output, toImage(tokens));
  return add(m, projected, x);
}

interface TransformerInputs {
  readonly prompt: Value;
  /** Tokens of boxes, for the layers of GLIGEN. */
  readonly objects: Value | undefined;
  readonly heads: number;
  readonly isDecomposed: boolean;
}

function transformerBlock(m: NetworkModule, tokens: Value, inputs: TransformerInputs): Value {
  const { prompt, objects, ...options } = inputs;
  const normed = layerNorm(m.at('norm1'), tokens);
  const own = m.at('attn1');
  // Some blocks of the x4 upscaler see the prompt twice.
  const seesPrompt = own.at('to_k').shape()[1] !== own.at('to_q').shape()[1];
  let self = add(m, attention(own, normed, seesPrompt ? prompt : normed, options), tokens);
  const fuser = m.at('fuser');
  if (objects !== undefined && fuser.exists()) self = gatedAttention(fuser, self, objects, options.heads);
  const query = layerNorm(m.at('norm2'), self);
  const seen = add(m, attention(m.at('attn2'), query, prompt, options), self);
  return add(m, gatedFeedForward(m.at('ff'), layerNorm(m.at('norm3'), seen)), seen);
}
