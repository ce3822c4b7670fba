import { onnxElementNumber } from '#core/tensors';
import { add, multiply } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';

export interface RmsNormOptions {
  epsilon?: number;
  /** Added to the stored weight: some networks store the difference to 1. */
  offset?: number;
}

/**
 * Zhang and Sennrich, "Root mean square layer normalization", 2019: over the last axis, x / √(mean(x²) + epsilon) ·
 * weight.
 */
export function rmsNorm(
  m: NetworkModule,
  x: Value,
  { epsilon = 1e-6, offset = 0 }: RmsNormOptions = {},
): Value {
  const { graph } = m;
  const weight = m.parameter();
  const scale = offset === 0 ? weight : rounded(m, add(m, weight, graph.scalarInitializer(offset)));
  return multiply(m, plainRmsNorm(m, x, epsilon), scale);
}

/** The norm without a weight. @param axis over which it is taken */
export function plainRmsNorm(m: NetworkModule, x: Value, epsilon = 1e-6, axis = -1): Value {
  const squares = m.op('ReduceMean', [multiply(m, x, x)], { axes: [axis], keepdims: 1 });
  return m.op('Div', [x, m.op('Sqrt', [add(m, squares, m.graph.scalarInitializer(epsilon))])]);
}

/** ComfyUI adds in the type of the stored weights: the sum has no more digits than that type. */
function rounded(m: NetworkModule, sum: Value): Value {
  const { type } = m.graph.tensor(`${m.path}.weight`);
  if (type !== 'F16' && type !== 'BF16') return sum;
  return m.op('Cast', [m.op('Cast', [sum], { to: onnxElementNumber(type) })], { to: 1 });
}
