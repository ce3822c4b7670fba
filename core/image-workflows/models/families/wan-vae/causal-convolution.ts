/**
 * Convolutions along time and space that see no later frame (Wan Team, "Wan: open and advanced large-scale video
 * generative models", 2025, section 4.1). Frames are the first axis: [frames, channels, height, width].
 */
import { concat } from '../../layers/elementary.ts';
import { frameKernel, frameSlice, jointKernel } from '../../layers/frame-convolution.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/** `image`: a single frame, whose past is black. `video`: two frames or more. */
export type Frames = 'image' | 'video';

/** Frames before the first are zeros, and so is the border of half a kernel. */
export function causalConvolution(m: NetworkModule, x: Value, frames: Frames): Value {
  const [, , time = 1, side = 1] = m.shape();
  // The other slices of the kernel meet zeros.
  if (frames === 'image') return frameKernel(m, x, kernelSlices(m, time - 1, time), side);
  if (time === 1) return frameKernel(m, x, kernelSlices(m, 0, 1), side);
  const padded = m.op('Pad', [x, m.graph.int64Initializer([time - 1, 0, 0, 0, 0, 0, 0, 0])]);
  const shifted = Array.from({ length: time }, (_, at) => frameSlice(m, padded, at, at + 1 - time));
  return frameKernel(m, concat(m, 1, ...shifted), jointKernel(m), side);
}

/** A convolution of three frames at every second frame, without padding: of 2n + 1 frames it makes n. */
export function halveFrames(m: NetworkModule, x: Value): Value {
  const [, , , side = 1] = m.shape();
  const parts = [frameSlice(m, x, 0, -1, 2), frameSlice(m, x, 1, 0, 2), frameSlice(m, x, 2, 0, 2)];
  return frameKernel(m, concat(m, 1, ...parts), jointKernel(m), side);
}

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
