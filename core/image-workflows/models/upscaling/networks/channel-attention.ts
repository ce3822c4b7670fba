import { multiply, reshape, transpose, unitLength } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/**
 * Attention of channels to each other, with a `temperature` for each head (Zamir et al., "Restormer", 2022, section 3.1).
 * @param parts query, key and value: [batch, channels, cells] each
 * @returns [batch, channels, cells]
 */
export function channelAttention(
  m: NetworkModule,
  parts: readonly [Value, Value, Value],
  channels: number,
): Value {
  const [heads = 1] = m.shape('temperature');
  const [query, key, value] = parts.map((part) => reshape(m, part, 0, heads, channels / heads, -1)) as [
    Value,
    Value,
    Value,
  ];
  const scores = m.op('MatMul', [unitLength(m, query), transpose(m, unitLength(m, key), 0, 1, 3, 2)]);
  // Runtimes fuse a factor of one number, and look for it in the file of the graph. A reshaped one is left alone.
  const temperature = reshape(m, m.parameter('temperature'), heads, 1, 1);
  const shares = m.op('Softmax', [multiply(m, scores, temperature)], { axis: -1 });
  return reshape(m, m.op('MatMul', [shares, value]), 0, channels, -1);
}
