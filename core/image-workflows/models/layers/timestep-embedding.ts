import { silu } from './elementary.ts';
import { linear } from './linear.ts';
import type { NetworkModule, Value } from './network-module.ts';

/**
 * Cosines, then sines, of a number at falling frequencies (Vaswani et al., 2017, section 3.5): [count] to [count, width].
 * The frequencies are theta^(-i / half) for i from 0 to half - 1.
 */
export function sinusoid(m: NetworkModule, numbers: Value, width: number, theta = 10_000): Value {
  const half = width / 2;
  const frequencies = Array.from({ length: half }, (_, i) => Math.exp((-Math.log(theta) * i) / half));
  const row = m.constant('frequencies', [1, half], frequencies);
  const angles = m.op('Mul', [m.op('Unsqueeze', [numbers, m.graph.int64Initializer([1])]), row]);
  return m.op('Concat', [m.op('Cos', [angles]), m.op('Sin', [angles])], { axis: -1 });
}

/** The layers `linear_1` and `linear_2` with a SiLU between them. */
export const embeddingLayers = (m: NetworkModule, x: Value): Value =>
  linear(m.at('linear_2'), silu(m, linear(m.at('linear_1'), x)));
