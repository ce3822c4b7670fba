import { gelu, multiply, silu, slice } from './elementary.ts';
import { linear } from './linear.ts';
import type { NetworkModule, Value } from './network-module.ts';
import { tanhGelu } from './tanh-gelu.ts';

/** Two layers with a gated GELU between them (Shazeer, "GLU variants improve Transformer", 2020): `net.0.proj`, `net.2`. */
export function gatedFeedForward(m: NetworkModule, x: Value): Value {
  const gated = m.at('net.0');
  const both = linear(gated.at('proj'), x);
  const width = gated.at('proj').shape()[0]! / 2;
  const value = slice(gated, both, -1, 0, width);
  const gate = slice(gated, both, -1, width, 2 * width);
  return linear(m.at('net.2'), gated.op('Mul', [value, gelu(gated, gate)]));
}

/** Two layers with the tanh approximation of GELU between them: `net.0.proj`, `net.2`. */
export function tanhFeedForward(m: NetworkModule, x: Value): Value {
  const first = m.at('net.0');
  return linear(m.at('net.2'), tanhGelu(first, linear(first.at('proj'), x)));
}

/** silu(first half) · second half along the last axis (Shazeer, 2020: SwiGLU). @param width of one half */
export const siluGate = (m: NetworkModule, both: Value, width: number): Value =>
  m.op('Mul', [silu(m, slice(m, both, -1, 0, width)), slice(m, both, -1, width, 2 * width)]);

/** Two layers with a gated SiLU between them: `linear_in`, `linear_out`. */
export function siluFeedForward(m: NetworkModule, x: Value): Value {
  const first = m.at('linear_in');
  return linear(m.at('linear_out'), siluGate(m, linear(first, x), first.shape()[0]! / 2));
}

/** Shazeer, "GLU variants improve Transformer", 2020: SwiGLU, with the layers `w1` (gate), `w3` and `w2`. */
export const swiGluFeedForward = (m: NetworkModule, x: Value): Value =>
  linear(m.at('w2'), multiply(m, silu(m, linear(m.at('w1'), x)), linear(m.at('w3'), x)));

/** The same, with the layers `gate_proj`, `up_proj` and `down_proj`. */
export const gateUpFeedForward = (m: NetworkModule, x: Value): Value =>
  linear(m.at('down_proj'), multiply(m, silu(m, linear(m.at('gate_proj'), x)), linear(m.at('up_proj'), x)));
