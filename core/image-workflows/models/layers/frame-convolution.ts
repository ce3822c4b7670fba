/** Convolutions of videos whose frames are the first axis: [frames, channels, height, width]. */
import { concat, transpose } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';

const LAST = 2 ** 31 - 1;

/** The frames [start, end) in steps. An end of 0 or below counts from the last frame. */
export const frameSlice = (m: NetworkModule, x: Value, start: number, end: number, step = 1): Value =>
  m.op('Slice', [
    x,
    ...[start, end === 0 ? LAST : end, 0, step].map((number) => m.graph.int64Initializer([number])),
  ]);

/** The kernel for the frames of its time as channels of one frame. */
export const jointKernel = (m: NetworkModule): Value => {
  const [outputs = 0, inputs = 0, time = 1, side = 1] = m.shape();
  const byTime = transpose(m, m.parameter(), 0, 2, 1, 3, 4);
  return m.op('Reshape', [byTime, m.graph.int64Initializer([outputs, time * inputs, side, side])]);
};

/** A convolution of single frames with half a kernel of zeros around them. */
export function frameKernel(m: NetworkModule, x: Value, kernel: Value, side: number, stride = 1): Value {
  const half = Math.floor(side / 2);
  return m.op('Conv', [x, kernel, ...(m.has('bias') ? [m.parameter('bias')] : [])], {
    kernel_shape: [side, side],
    strides: [stride, stride],
    pads: [half, half, half, half],
  });
}

/** ONNX's modes of padding. `mirrored` needs two cells along each side. */
const PADDING = { repeated: 'edge', mirrored: 'reflect' } as const;

export interface FrameConvolutionOptions {
  /** `before`: no frame sees a later one. `around`: it sees as many before it as after it. */
  frames: 'before' | 'around';
  /** Around each frame. Default: zeros. */
  border?: keyof typeof PADDING | 'zeros' | 'none';
  stride?: { frames: number; cells: number };
}

/** A convolution of frames and cells. The first frame is repeated before it, and the last one after it. */
export function frameConvolution(m: NetworkModule, x: Value, options: FrameConvolutionOptions): Value {
  const { frames, border = 'zeros', stride = { frames: 1, cells: 1 } } = options;
  const [, , time = 1, side = 1] = m.shape();
  const hasOwnBorder = border === 'zeros' || side === 1;
  const bordered = hasOwnBorder || border === 'none' ? x : withBorder(m, x, Math.floor(side / 2), border);
  const before = frames === 'before' ? time - 1 : Math.floor((time - 1) / 2);
  const all = repeatEnds(m, bordered, before, time - 1 - before);
  const shifted = Array.from({ length: time }, (_, at) =>
    time === 1 ? all : frameSlice(m, all, at, at + 1 - time, stride.frames),
  );
  const joined = shifted.length === 1 ? shifted[0]! : concat(m, 1, ...shifted);
  if (hasOwnBorder) return frameKernel(m, joined, jointKernel(m), side, stride.cells);
  return m.op('Conv', [joined, jointKernel(m), ...(m.has('bias') ? [m.parameter('bias')] : [])], {
    kernel_shape: [side, side],
    strides: [stride.cells, stride.cells],
  });
}

function repeatEnds(m: NetworkModule, x: Value, before: number, after: number): Value {
  if (before + after === 0) return x;
  const first = Array<Value>(before).fill(frameSlice(m, x, 0, 1));
  const last = after > 0 ? Array<Value>(after).fill(frameSlice(m, x, -1, 0)) : [];
  return concat(m, 0, ...first, x, ...last);
}

const withBorder = (m: NetworkModule, x: Value, width: number, border: keyof typeof PADDING): Value =>
  m.op('Pad', [x, m.graph.int64Initializer([0, 0, width, width, 0, 0, width, width])], {
    mode: PADDING[border],
  });
