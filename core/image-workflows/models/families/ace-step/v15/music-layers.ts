/** The layers that all networks of ACE-Step 1.5 share. They are those of Qwen 3, without its order of tokens. */
import { attend } from '../../../layers/attention.ts';
import { rotation } from '../../../layers/causal-attention.ts';
import { add, concat, multiply, reshape, silu } from '../../../layers/elementary.ts';
import { linear } from '../../../layers/linear.ts';
import type { NetworkModule, Value } from '../../../layers/network-module.ts';
import { rmsNorm } from '../../../layers/rms-norm.ts';
import { type Rotation, rotateHalves } from '../../../layers/rotary.ts';
import { tokenPositions } from '../../../layers/token-embedding.ts';

const THETA = 1_000_000;

/** The angles of as many tokens as `x` [batch, tokens, width] has. @param attention a module with heads of this width */
export function musicRotation(m: NetworkModule, x: Value, attention: NetworkModule): Rotation {
  const [headWidth = 0] = attention.at('q_norm').shape();
  return rotation(m, tokenPositions(m, x), headWidth, THETA);
}

interface MusicAttentionOptions {
  /** Undefined: tokens have no positions. */
  turn?: Rotation | undefined;
  /** Added to the scores, [1, 1, tokens, tokens]. */
  mask?: Value | undefined;
}

/**
 * Attention whose query heads share keys and values in groups (Ainslie et al., "GQA", 2023). Queries and keys are normed
 * by heads.
 * @param x [batch, tokens, width] @param context [batch, seen tokens, width]
 */
export function musicAttention(
  m: NetworkModule,
  x: Value,
  context: Value,
  { turn, mask }: MusicAttentionOptions,
): Value {
  const [width = 0] = m.at('q_proj').shape();
  const [shared = 1] = m.at('k_proj').shape();
  const [headWidth = 1] = m.at('q_norm').shape();
  const each = width / shared;
  const project = (name: 'q' | 'k', tokens: Value) => {
    const heads = reshape(m, linear(m.at(`${name}_proj`), tokens), 0, 0, -1, headWidth);
    const normed = reshape(m, rmsNorm(m.at(`${name}_norm`), heads), 0, 0, name === 'q' ? width : shared);
    return turn ? rotateHalves(m, normed, turn) : normed;
  };
  const forHeads = (value: Value) => {
    if (each === 1) return value;
    const groups = reshape(m, value, 0, 0, -1, 1, headWidth);
    return reshape(m, concat(m, 3, ...Array<Value>(each).fill(groups)), 0, 0, width);
  };
  const value = linear(m.at('v_proj'), context);
  const mixed = attend(m, [project('q', x), forHeads(project('k', context)), forHeads(value)], width, {
    heads: width / headWidth,
    ...(mask !== undefined && { isDecomposed: true, mask }),
  });
  return linear(m.at('o_proj'), mixed);
}

/** Shazeer, "GLU variants improve Transformer", 2020: SwiGLU. */
export const musicFeedForward = (m: NetworkModule, x: Value): Value =>
  linear(m.at('down_proj'), multiply(m, silu(m, linear(m.at('gate_proj'), x)), linear(m.at('up_proj'), x)));

/** The layers of an encoder, and its last norm: [batch, tokens, width]. Each token sees all. */
export function musicEncoder(m: NetworkModule, tokens: Value): Value {
  const layers = m.list('layers');
  const turn = musicRotation(m, tokens, layers[0]!.at('self_attn'));
  let x = tokens;
  for (const layer of layers) {
    const normed = rmsNorm(layer.at('input_layernorm'), x);
    x = add(layer, x, musicAttention(layer.at('self_attn'), normed, normed, { turn }));
    const inner = rmsNorm(layer.at('post_attention_layernorm'), x);
    x = add(layer, x, musicFeedForward(layer.at('mlp'), inner));
  }
  return rmsNorm(m.at('norm'), x);
}
