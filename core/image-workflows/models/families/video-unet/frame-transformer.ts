/** Transformer blocks over the frames of videos, with learned positions of the frames. */
import { attend, attention } from '../../layers/attention.ts';
import { add, concat, dimensions, reshape, silu, slice, transpose } from '../../layers/elementary.ts';
import { gatedFeedForward } from '../../layers/feed-forward.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { sinusoid } from '../../layers/timestep-embedding.ts';
import { mix } from './frame-blocks.ts';

export interface FrameTransformerInputs {
  /** The number of frames of each video, int64 [1]. */
  frames: Value;
  heads: number;
  /** [batch, tokens, width] */
  prompt: Value;
}

/**
 * Mixes the tokens of images with what a transformer block over their frames makes of them: [batch, tokens, width].
 * @param m has the blocks `time_stack.N` and the share of the images in `time_mixer`
 */
export function mixTokensOverFrames(
  m: NetworkModule,
  index: number,
  tokens: Value,
  { frames, heads, prompt }: FrameTransformerInputs,
): Value {
  const { graph } = m;
  const [width = 0] = m.at('time_pos_embed.2').shape();
  const sides = concat(m, 0, graph.int64Initializer([-1]), frames, dimensions(m, tokens, 1, 3));
  const videos = add(m, m.op('Reshape', [tokens, sides]), framePositions(m, frames, width));
  const turned = transpose(m, videos, 0, 2, 1, 3);
  const rows = m.op('Reshape', [
    turned,
    concat(m, 0, graph.int64Initializer([-1]), frames, graph.int64Initializer([width])),
  ]);
  const block = m.at(`time_stack.${index}`);
  const seen = frameTransformerBlock(block, rows, { frames, heads, prompt, videos: turned });
  const back = transpose(m, m.op('Reshape', [seen, m.op('Shape', [turned])]), 0, 2, 1, 3);
  const images = m.op('Reshape', [back, m.op('Shape', [tokens])]);
  return mix(m, tokens, images, m.at('time_mixer').parameter('mix_factor'));
}

/** [frames, 1, width] */
function framePositions(m: NetworkModule, frames: Value, width: number): Value {
  const { graph } = m;
  const scalar = (value: number) => graph.int64Initializer([value], true);
  const count = m.op('Squeeze', [frames, graph.int64Initializer([0])]);
  const numbers = m.op('Cast', [m.op('Range', [scalar(0), count, scalar(1)])], { to: 1 });
  const layers = m.at('time_pos_embed');
  const inner = silu(layers, linear(layers.at('0'), sinusoid(layers, numbers, width)));
  return reshape(m, linear(layers.at('2'), inner), -1, 1, width);
}

interface BlockInputs extends FrameTransformerInputs {
  /** [videos, tokens, frames, width], whose first two sides are those of the rows. */
  videos: Value;
}

/** @param rows [videos · tokens, frames, width] */
function frameTransformerBlock(m: NetworkModule, rows: Value, inputs: BlockInputs): Value {
  const { heads } = inputs;
  const entry = add(m, gatedFeedForward(m.at('ff_in'), layerNorm(m.at('norm_in'), rows)), rows);
  const normed = layerNorm(m.at('norm1'), entry);
  const self = add(m, attention(m.at('attn1'), normed, normed, { heads }), entry);
  const cross = m.at('attn2');
  const seen = cross.exists()
    ? add(m, promptAttention(cross, layerNorm(m.at('norm2'), self), inputs), self)
    : self;
  return add(m, gatedFeedForward(m.at('ff'), layerNorm(m.at('norm3'), seen)), seen);
}

/** Attention to the prompt of each video's first frame. */
function promptAttention(
  m: NetworkModule,
  query: Value,
  { frames, heads, prompt, videos }: BlockInputs,
): Value {
  const { graph } = m;
  const ints = (...values: number[]) => graph.int64Initializer(values);
  const prompts = m.op('Reshape', [prompt, concat(m, 0, ints(-1), frames, dimensions(m, prompt, 1, 3))]);
  const first = reshape(m, slice(m, prompts, 1, 0, 1), 0, -1, m.at('to_k').shape()[1]!);
  const [width = 0] = m.at('to_q').shape();
  const forAllTokens = (name: string) => {
    const projected = m.op('Unsqueeze', [linear(m.at(name), first), ints(1)]);
    const sides = concat(m, 0, dimensions(m, videos, 0, 2), dimensions(m, projected, 2, 4));
    const expanded = m.op('Expand', [projected, sides]);
    return m.op('Reshape', [expanded, concat(m, 0, ints(-1), dimensions(m, projected, 2, 4))]);
  };
  const attended = attend(
    m,
    [linear(m.at('to_q'), query), forAllTokens('to_k'), forAllTokens('to_v')],
    width,
    { heads },
  );
  return linear(m.at('to_out.0'), attended);
}
