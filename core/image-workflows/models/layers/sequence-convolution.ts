/** Convolutions over sequences, [batch, channels, steps]. */
import type { NetworkModule, Value } from './network-module.ts';

export interface SequenceConvolutionOptions {
  stride?: number;
  /** Zeros on both sides, or [at the start, at the end]. Default: none. */
  padding?: number | readonly [start: number, end: number];
  /** How far the steps of the kernel lie apart. Default: 1. */
  dilation?: number;
  /** Groups of channels that do not mix. Default: 1. */
  groups?: number;
  /** Makes sequences longer by the stride. */
  isTransposed?: boolean;
}

/** The weight may be stored in two parts, as `normedWeight` has them. The bias is optional. */
export function sequenceConvolution(
  m: NetworkModule,
  x: Value,
  {
    stride = 1,
    padding = 0,
    dilation = 1,
    groups = 1,
    isTransposed = false,
  }: SequenceConvolutionOptions = {},
): Value {
  const { weight, shape } = normedWeight(m);
  return m.op(
    isTransposed ? 'ConvTranspose' : 'Conv',
    [x, weight, ...(m.has('bias') ? [m.parameter('bias')] : [])],
    {
      kernel_shape: [shape[2] ?? 1],
      strides: [stride],
      dilations: [dilation],
      pads: typeof padding === 'number' ? [padding, padding] : [...padding],
      ...(groups > 1 && { group: groups }),
    },
  );
}

/** Names of the lengths and directions of a weight, as torch has had them, and the weight alone. */
const PARTS = [
  ['parametrizations.weight.original0', 'parametrizations.weight.original1'],
  ['weight_g', 'weight_v'],
] as const;

/**
 * The weight of a convolution. It may be stored as directions and lengths: Salimans and Kingma, "Weight normalization",
 * 2016. The sides of the lengths say for which slices of the weight they are.
 */
export function normedWeight(m: NetworkModule): { weight: Value; shape: readonly number[] } {
  const parts = PARTS.find(([, name]) => m.has(name));
  if (!parts) return { weight: m.parameter(), shape: m.shape() };
  const [lengths, directions] = parts;
  const axes = m.shape(lengths).flatMap((side, axis) => (side === 1 ? [axis] : []));
  const direction = m.parameter(directions);
  const length = m.op('ReduceL2', [direction], { axes, keepdims: 1 });
  const factor = m.op('Div', [m.parameter(lengths), length]);
  return { weight: m.op('Mul', [direction, factor]), shape: m.shape(directions) };
}

/** The shape of a weight as `normedWeight` has it. */
export function normedShape(m: NetworkModule): readonly number[] {
  const directions = PARTS.map(([, name]) => name).find((name) => m.has(name));
  return m.shape(directions);
}

/** The steps that a convolution sees, of a weight as `normedWeight` has it. */
export const kernelLength = (m: NetworkModule): number => normedShape(m)[2] ?? 1;
