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
  const squares = m.op('ReduceMean', [multiply(m, x, x)], { axes: [-1], keepdims: 1 });
  const root = m.op('Sqrt', [add(m, squares, graph.scalarInitializer(epsilon))]);
  const weight = m.parameter();
  const scale = offset === 0 ? weight : rounded(m, add(m, weight, graph.scalarInitializer(offset)));
  return multiply(m, m.op('Div', [x, root]), scale);
}

/** ComfyUI adds in the type of the stored weights: the sum has no more digits than that type. */
function rounded(m: NetworkModule, sum: Value): Value {
  const { type } = m.graph.tensor(`${m.path}.weight`);
  if (type !== 'F16' && type !== 'BF16') return sum;
  return m.op('Cast', [m.op('Cast', [sum], { to: onnxElementNumber(type) })], { to: 1 });
}
