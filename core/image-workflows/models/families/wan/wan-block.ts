/** A block of Wan's transformers: attention to all tokens, to the prompt, and a feed-forward network. */
import { attend } from '../../layers/attention.ts';
import { add, concat, dimensions, multiply, reshape, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { modulate, plainNorm } from '../../layers/modulation.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import { rmsNorm } from '../../layers/rms-norm.ts';
import { type Rotation, rotate } from '../../layers/rotary.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';

const HEAD_WIDTH = 128;
const EPSILON = 1e-6;

export interface BlockInputs {
  /** Shifts, scales and gates for each time, [times, 6 · width]. */
  parts: Value;
  /** [batch, text tokens, width] */
  text: Value;
  /** [batch, image tokens, width] */
  image: Value | undefined;
  turn: Rotation;
  width: number;
  /** The row of `parts` for each token, int64 [tokens], where each token is a frame of its own. */
  times?: Value | undefined;
  /** Describes the audio of each frame, for networks whose blocks hear it. */
  audio?: WanAudio | undefined;
}

export interface WanAudio {
  /** [batch · frames, audio tokens, width of the audio] */
  tokens: Value;
  /** A factor of its effect, [1]: 0 without audio. */
  share: Value;
}

/** @param x [batch, frames, tokens of a frame, width] */
export function wanBlock(
  m: NetworkModule,
  x: Value,
  { parts, text, image, turn, width, times, audio }: BlockInputs,
): Value {
  const rows = reshape(m, parts, 0, 6, width);
  const [shift, scale, gate, lastShift, lastScale, lastGate] = wanModulation(m, rows, width, times) as [
    Value,
    Value,
    Value,
    Value,
    Value,
    Value,
  ];
  const shape = m.op('Shape', [x]);
  /** All frames as one sequence, and back. */
  const joined = (stream: Value, change: (tokens: Value) => Value): Value =>
    m.op('Reshape', [change(reshape(m, stream, 0, -1, width)), shape]);
  const normed = modulate(m, plainNorm(m.at('norm1'), x, width, EPSILON), shift, scale);
  const attention = m.at('self_attn');
  const attended = joined(normed, (tokens) => selfAttention(attention, tokens, turn, width));
  const seen = add(m, x, multiply(m, attended, gate));
  const cross = m.at('norm3').exists() ? layerNorm(m.at('norm3'), seen, EPSILON) : seen;
  const prompted = add(
    m,
    seen,
    joined(cross, (tokens) => crossAttention(m.at('cross_attn'), tokens, text, image, width)),
  );
  const heard = audio ? hear(m.at('audio_cross_attn_wrapper'), prompted, audio, width) : prompted;
  const last = modulate(m, plainNorm(m.at('norm2'), heard, width, EPSILON), lastShift, lastScale);
  const inner = tanhGelu(m.at('ffn'), linear(m.at('ffn.0'), last));
  return add(m, heard, multiply(m, linear(m.at('ffn.2'), inner), lastGate));
}

/** Adds what each frame sees in its own audio. @param x [batch, frames, tokens of a frame, width] */
function hear(m: NetworkModule, x: Value, { tokens, share }: WanAudio, width: number): Value {
  const sides = dimensions(m, x, 2, 3);
  const perFrame = concat(m, 0, m.graph.int64Initializer([-1]), sides, m.graph.int64Initializer([width]));
  const query = m.op('Reshape', [layerNorm(m.at('norm1_audio'), x, EPSILON), perFrame]);
  const change = crossAttention(m.at('audio_cross_attn'), query, tokens, undefined, width);
  return add(m, x, multiply(m, m.op('Reshape', [change, m.op('Shape', [x])]), share));
}

/**
 * The learned parts of a module plus those of the times: [times, 1, width] each.
 * @param times the time of each token, [tokens]. Undefined: the times are those of frames, or one for all.
 */
export function wanModulation(m: NetworkModule, rows: Value, width: number, times?: Value): Value[] {
  const [, count = 0] = m.shape('modulation');
  const all = add(m, m.parameter('modulation'), rows);
  return Array.from({ length: count }, (_, at) => {
    const part = reshape(m, slice(m, all, 1, at, at + 1), -1, 1, width);
    return times === undefined ? part : m.op('Gather', [part, times]);
  });
}

/** All heads of a token are normed together. */
const normed = (m: NetworkModule, projection: string, norm: string, tokens: Value): Value =>
  rmsNorm(m.at(norm), linear(m.at(projection), tokens), { epsilon: EPSILON });

function selfAttention(m: NetworkModule, tokens: Value, turn: Rotation, width: number): Value {
  const query = rotate(m, normed(m, 'q', 'norm_q', tokens), turn);
  const key = rotate(m, normed(m, 'k', 'norm_k', tokens), turn);
  const mixed = attend(m, [query, key, linear(m.at('v'), tokens)], width, { heads: width / HEAD_WIDTH });
  return linear(m.at('o'), mixed);
}

/** The tokens of the text and those of the image have keys and values of their own; both results are added. */
export function crossAttention(
  m: NetworkModule,
  tokens: Value,
  text: Value,
  image: Value | undefined,
  width: number,
): Value {
  const query = normed(m, 'q', 'norm_q', tokens);
  const heads = { heads: width / HEAD_WIDTH };
  const mixed = attend(m, [query, normed(m, 'k', 'norm_k', text), linear(m.at('v'), text)], width, heads);
  if (image === undefined) return linear(m.at('o'), mixed);
  const [key, value] = [normed(m, 'k_img', 'norm_k_img', image), linear(m.at('v_img'), image)];
  return linear(m.at('o'), add(m, mixed, attend(m, [query, key, value], width, heads)));
}
