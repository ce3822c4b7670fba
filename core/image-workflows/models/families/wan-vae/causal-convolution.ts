/**
 * Convolutions along time and space that see no later frame (Wan Team, "Wan: open and advanced large-scale video
 * generative models", 2025, section 4.1). Frames are the first axis: [frames, channels, height, width].
 */
import { concat, transpose } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/** `image`: a single frame, whose past is black. `video`: two frames or more. */
export type Frames = 'image' | 'video';

/** Frames before the first are zeros, and so is the border of half a kernel. */
export function causalConvolution(m: NetworkModule, x: Value, frames: Frames): Value {
  const [outputs = 0, inputs = 0, time = 1, side = 1] = m.shape();
  // The other slices of the kernel meet zeros.
  if (frames === 'image') return convolve(m, x, kernelSlices(m, time - 1, time), side);
  if (time === 1) return convolve(m, x, kernelSlices(m, 0, 1), side);
  const padded = m.op('Pad', [x, m.graph.int64Initializer([time - 1, 0, 0, 0, 0, 0, 0, 0])]);
  const shifted = Array.from({ length: time }, (_, at) => frameSlice(m, padded, at, at + 1 - time));
  const joined = jointKernel(m, outputs, time * inputs, side);
  return convolve(m, concat(m, 1, ...shifted), joined, side);
}

/** A convolution of three frames at every second frame, without padding: of 2n + 1 frames it makes n. */
export function halveFrames(m: NetworkModule, x: Value): Value {
  const [outputs = 0, inputs = 0, time = 1, side = 1] = m.shape();
  const parts = [frameSlice(m, x, 0, -1, 2), frameSlice(m, x, 1, 0, 2), frameSlice(m, x, 2, 0, 2)];
  return convolve(m, concat(m, 1, ...parts), jointKernel(m, outputs, time * inputs, side), side);
}

/** The frames [start, end) in steps. An end of 0 or below counts from the last frame. */
export const frameSlice = (m: NetworkModule, x: Value, start: number, end: number, step = 1): Value =>
  m.op('Slice', [
    x,
    ...[start, end === 0 ? LAST : end, 0, step].map((number) => m.graph.int64Initializer([number])),
  ]);

const LAST = 2 ** 31 - 1;

/** Some slices of the kernel along time, as a kernel of [outputs, inputs, side, side]. There is one. */
function kernelSlices(m: NetworkModule, start: number, end: number): Value {
  const axis = m.graph.int64Initializer([2]);
  const [, , time = 1] = m.shape();
  const weight = m.parameter();
  const slices =
    time === 1
      ? weight
      : m.op('Slice', [weight, m.graph.int64Initializer([start]), m.graph.int64Initializer([end]), axis]);
  return m.op('Squeeze', [slices, axis]);
}

/** The kernel for the frames of its time as channels of one frame. */
function jointKernel(m: NetworkModule, outputs: number, inputs: number, side: number): Value {
  const byTime = transpose(m, m.parameter(), 0, 2, 1, 3, 4);
  return m.op('Reshape', [byTime, m.graph.int64Initializer([outputs, inputs, side, side])]);
}

function convolve(m: NetworkModule, x: Value, kernel: Value, side: number): Value {
  const half = Math.floor(side / 2);
  return m.op('Conv', [x, kernel, m.parameter('bias')], {
    kernel_shape: [side, side],
    pads: [half, half, half, half],
  });
}
