import { add, multiply, scaled } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';

/** The approximation of GELU by tanh (Hendrycks and Gimpel, 2016): x · (1 + tanh(√(2/π) · (x + 0.044715 x³))) / 2. */
export function tanhGelu(m: NetworkModule, x: Value): Value {
  const cube = multiply(m, multiply(m, x, x), x);
  const inner = scaled(m, add(m, x, scaled(m, cube, 0.044715)), Math.sqrt(2 / Math.PI));
  const share = add(m, m.op('Tanh', [inner]), m.graph.scalarInitializer(1));
  return scaled(m, multiply(m, x, share), 0.5);
}
