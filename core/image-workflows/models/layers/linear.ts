import { transpose } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';

/** x · weightᵀ + bias along the last axis, as torch's Linear. The bias is optional. */
export function linear(m: NetworkModule, x: Value): Value {
  // onnxruntime fuses the transposition into the product.
  const matrix = m.isTransposed() ? m.parameter() : transpose(m, m.parameter(), 1, 0);
  const product = m.op('MatMul', [x, matrix]);
  return m.has('bias') ? m.op('Add', [m.parameter('bias'), product]) : product;
}
