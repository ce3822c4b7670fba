/** Elementary functions of values. */
import type { NetworkModule, Value } from './network-module.ts';

export const add = (m: NetworkModule, a: Value, b: Value): Value => m.op('Add', [a, b]);
export const multiply = (m: NetworkModule, a: Value, b: Value): Value => m.op('Mul', [a, b]);

export const scaled = (m: NetworkModule, x: Value, factor: number): Value =>
  m.op('Mul', [x, m.graph.scalarInitializer(factor)]);

export const reshape = (m: NetworkModule, x: Value, ...shape: number[]): Value =>
  m.op('Reshape', [x, m.graph.int64Initializer(shape)]);

export const transpose = (m: NetworkModule, x: Value, ...perm: number[]): Value =>
  m.op('Transpose', [x], { perm });

/** [batch, channels, height, width] to [batch, height, width, channels]. */
export const channelsLast = (m: NetworkModule, x: Value): Value => transpose(m, x, 0, 2, 3, 1);
/** Reverts `channelsLast`. */
export const channelsFirst = (m: NetworkModule, x: Value): Value => transpose(m, x, 0, 3, 1, 2);

export const concat = (m: NetworkModule, axis: number, ...values: Value[]): Value =>
  m.op('Concat', values, { axis });

/** The part [start, end) along an axis. */
export const slice = (m: NetworkModule, x: Value, axis: number, start: number, end: number): Value =>
  m.op('Slice', [x, ...[start, end, axis].map((number) => m.graph.int64Initializer([number]))]);

/** The sides [start, end) of a value's shape: int64 [end - start]. */
export const dimensions = (m: NetworkModule, x: Value, start: number, end: number): Value =>
  m.op('Slice', [m.op('Shape', [x]), m.graph.int64Initializer([start]), m.graph.int64Initializer([end])]);

/** max(x, 0). */
export const relu = (m: NetworkModule, x: Value): Value => m.op('Relu', [x]);

/** x · sigmoid(x), also called swish. */
export const silu = (m: NetworkModule, x: Value): Value => m.op('Mul', [x, m.op('Sigmoid', [x])]);

/** The approximation of CLIP: x · sigmoid(1.702 x). */
export const quickGelu = (m: NetworkModule, x: Value): Value =>
  m.op('Mul', [x, m.op('Sigmoid', [scaled(m, x, 1.702)])]);

/** The exact GELU: x · (1 + erf(x / √2)) / 2. */
export function gelu(m: NetworkModule, x: Value): Value {
  const erf = m.op('Erf', [scaled(m, x, Math.SQRT1_2)]);
  const share = m.op('Add', [erf, m.graph.scalarInitializer(1)]);
  return scaled(m, m.op('Mul', [x, share]), 0.5);
}

/** x, or `slope` · x where x is negative. */
export const leakyRelu = (m: NetworkModule, x: Value, slope: number): Value =>
  m.op('LeakyRelu', [x], { alpha: { float: slope } });

/** x / √(Σ x²) along the last axis. */
export function unitLength(m: NetworkModule, x: Value): Value {
  const length = m.op('ReduceL2', [x], { axes: [-1], keepdims: 1 });
  return m.op('Div', [x, m.op('Max', [length, m.graph.scalarInitializer(1e-12)])]);
}

/** Beyond this, mish is x in 32-bit floats. */
const MISH_LIMIT = 20;

/** Misra, "Mish", 2019: x · tanh(ln(1 + e^x)), written without operators that browsers lack. */
export function mish(m: NetworkModule, x: Value): Value {
  const power = m.op('Exp', [m.op('Min', [x, m.graph.scalarInitializer(MISH_LIMIT)])]);
  const numerator = multiply(m, power, add(m, power, m.graph.scalarInitializer(2)));
  return multiply(m, x, m.op('Div', [numerator, add(m, numerator, m.graph.scalarInitializer(2))]));
}
