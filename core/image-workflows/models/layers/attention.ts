import { reshape, scaled, transpose } from './elementary.ts';
import { linear } from './linear.ts';
import type { NetworkModule, Value } from './network-module.ts';

export interface AttentionOptions {
  heads: number;
  /** Nodes that read the attention map need the operators one by one. Long sequences need one operator for all. */
  isDecomposed?: boolean;
  /** Added to the scores: [1 or batch, 1 or heads, queries, keys] each. Needs `isDecomposed`. */
  mask?: Value | readonly Value[];
  /** The factor of the scores. Default: 1 / √(width of a head). */
  scale?: number;
}

/**
 * Scaled dot-product attention with several heads (Vaswani et al., "Attention is all you need", 2017, section 3.2).
 * @param query [batch, queries, width]
 * @param key [batch, keys, width]
 * @param value [batch, keys, width]
 * @param width of all heads together
 */
export function attend(
  m: NetworkModule,
  [query, key, value]: readonly [Value, Value, Value],
  width: number,
  { heads, isDecomposed = false, mask, scale = 1 / Math.sqrt(width / heads) }: AttentionOptions,
): Value {
  const size = width / heads;
  if (!isDecomposed)
    return m.op('com.microsoft.MultiHeadAttention', [query, key, value], {
      num_heads: heads,
      scale: { float: scale },
    });
  const split = (x: Value) => reshape(m, x, 0, 0, heads, size);
  const queries = scaled(m, transpose(m, split(query), 0, 2, 1, 3), scale);
  const scores = m.op('MatMul', [queries, transpose(m, split(key), 0, 2, 3, 1)]);
  const masked = [mask ?? []].flat().reduce((sum, part) => m.op('Add', [sum, part]), scores);
  const shares = m.op('Softmax', [masked], { axis: -1 });
  const mixed = m.op('MatMul', [shares, transpose(m, split(value), 0, 2, 1, 3)]);
  return reshape(m, transpose(m, mixed, 0, 2, 1, 3), 0, 0, width);
}

/** Attention of `x` to `context`, with the projections `to_q`, `to_k`, `to_v` and `to_out.0`. */
export function attention(m: NetworkModule, x: Value, context: Value, options: AttentionOptions): Value {
  const projected = [
    linear(m.at('to_q'), x),
    linear(m.at('to_k'), context),
    linear(m.at('to_v'), context),
  ] as const;
  return linear(m.at('to_out.0'), attend(m, projected, m.at('to_q').shape()[0]!, options));
}
