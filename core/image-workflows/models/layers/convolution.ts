import type { NetworkModule, Value } from './network-module.ts';

export interface ConvolutionOptions {
  stride?: number;
  /** Zeros at the start and the end of both axes. Default: half of the kernel on both sides. */
  padding?: { start: number; end: number };
}

/** A convolution of [batch, channels, height, width]. The weights' shape gives channels and kernel. */
export function convolution(m: NetworkModule, x: Value, options: ConvolutionOptions = {}): Value {
  const [, , kernel = 1] = m.shape();
  const half = Math.floor(kernel / 2);
  const { stride = 1, padding = { start: half, end: half } } = options;
  const inputs = [x, m.parameter(), ...(m.has('bias') ? [m.parameter('bias')] : [])];
  return m.op('Conv', inputs, {
    kernel_shape: [kernel, kernel],
    strides: [stride, stride],
    pads: [padding.start, padding.start, padding.end, padding.end],
  });
}

/** Doubles height and width by repeating each cell, or makes them as large as those of `like`. */
export function enlarge(m: NetworkModule, x: Value, like?: Value): Value {
  const attributes = { mode: 'nearest', coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' };
  if (like === undefined) {
    const scales = m.graph.floatInitializer(`${m.path}.scales`, [4], [1, 1, 2, 2]);
    return m.op('Resize', [x, '', scales], attributes);
  }
  const sides = (value: Value, start: number, end: number) =>
    m.op('Slice', [
      m.op('Shape', [value]),
      m.graph.int64Initializer([start]),
      m.graph.int64Initializer([end]),
    ]);
  const sizes = m.op('Concat', [sides(x, 0, 2), sides(like, 2, 4)], { axis: 0 });
  return m.op('Resize', [x, '', '', sizes], attributes);
}
