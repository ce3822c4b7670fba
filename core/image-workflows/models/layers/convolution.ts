import { dimensions } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';

export interface ConvolutionOptions {
  stride?: number;
  /** Zeros at the start and the end of both axes. Default: half of the kernel on both sides. */
  padding?: { start: number; end: number };
  /** Groups of channels that do not mix. Default: 1. */
  groups?: number;
  /** How far the cells of the kernel lie apart. Default: 1. */
  dilation?: number;
}

/** A convolution of [batch, channels, height, width]. The weights' shape gives channels and kernel. */
export function convolution(m: NetworkModule, x: Value, options: ConvolutionOptions = {}): Value {
  const [, , height = 1, width = height] = m.shape();
  const { stride = 1, padding, groups = 1, dilation = 1 } = options;
  const [top, left] = [height, width].map((side) => padding?.start ?? Math.floor(side / 2) * dilation) as [
    number,
    number,
  ];
  const [bottom, right] = [padding?.end ?? top, padding?.end ?? left];
  const inputs = [x, m.parameter(), ...(m.has('bias') ? [m.parameter('bias')] : [])];
  return m.op('Conv', inputs, {
    kernel_shape: [height, width],
    strides: [stride, stride],
    pads: [top, left, bottom, right],
    ...(groups > 1 && { group: groups }),
    ...(dilation > 1 && { dilations: [dilation, dilation] }),
  });
}

/** A convolution that filters each channel alone: weights [channels, 1, height, width]. */
export const channelwise = (m: NetworkModule, x: Value, dilation = 1): Value =>
  convolution(m, x, { groups: m.shape()[0]!, dilation });

/** A convolution whose bias must be stored, as that of every layer of its network. Throws `ModelUnsupported`. */
export function biasedConvolution(m: NetworkModule, x: Value, options: ConvolutionOptions = {}): Value {
  m.shape('bias');
  return convolution(m, x, options);
}

const NEAREST = { mode: 'nearest', coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' };

/** Multiplies height and width by a whole number: repeats each cell. Once per module. */
export function repeatCells(m: NetworkModule, x: Value, factor: number): Value {
  const scales = m.constant('scales', [4], [1, 1, factor, factor]);
  return m.op('Resize', [x, '', scales], NEAREST);
}

/** Doubles height and width by repeating each cell, or makes them as large as those of `like`. */
export function enlarge(m: NetworkModule, x: Value, like?: Value): Value {
  if (like === undefined) return repeatCells(m, x, 2);
  const sizes = m.op('Concat', [dimensions(m, x, 0, 2), dimensions(m, like, 2, 4)], { axis: 0 });
  return m.op('Resize', [x, '', '', sizes], NEAREST);
}
