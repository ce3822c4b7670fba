/**
 * Changes of the sides without weights in the autoencoder of Wan 2.2: ways around groups of layers. Source: Chen et al., "Deep compression autoencoder", 2024, section 3.2, here with frames as a side.
 * Frames are the first axis: [frames, channels, height, width].
 */
import { ModelUnsupported } from '#core/host';
import { concat, dimensions, reshape, transpose } from '../../layers/elementary.ts';
import { frameSlice } from '../../layers/frame-convolution.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { gatherChannels, pixelShuffle } from '../../layers/pixel-shuffle.ts';

/** Cells that are joined along each side. */
const PATCH = 2;

export interface GroupSides {
  /** Channels before and after the group. */
  inputs: number;
  outputs: number;
  /** Frames that become one, or that a frame becomes. */
  frames: number;
}

/**
 * Halves the sides: each channel of the result is the mean of cells and channels in a row. The first frame is joined
 * with frames of zeros before it.
 */
export function averagedChannels(m: NetworkModule, x: Value, { inputs, outputs, frames }: GroupSides): Value {
  const cells = PATCH ** 2;
  const group = (inputs * frames * cells) / outputs;
  if (group % cells !== 0)
    throw new ModelUnsupported(`${m.path} makes ${outputs} channels of ${inputs}, which has no mean here`);
  const half = m.op('AveragePool', [x], { kernel_shape: [PATCH, PATCH], strides: [PATCH, PATCH] });
  if (frames === 1 && group === cells) return half;
  const padded = m.op('Pad', [half, m.graph.int64Initializer([frames - 1, 0, 0, 0, 0, 0, 0, 0])]);
  const sides = dimensions(m, half, 2, 4);
  const ints = (...values: number[]) => m.graph.int64Initializer(values);
  const flat = reshape(m, padded, 0, 0, -1);
  const steps = m.op('Reshape', [flat, concat(m, 0, ints(-1, frames, inputs), dimensions(m, flat, 2, 3))]);
  // Channels come before the frames that they are joined with.
  const rows = reshape(m, transpose(m, steps, 0, 2, 1, 3), 0, outputs, group / cells, -1);
  const means = m.op('ReduceMean', [rows], { axes: [2], keepdims: 0 });
  return m.op('Reshape', [means, concat(m, 0, ints(0, 0), sides)]);
}

/** Doubles the sides: repeated channels become cells and frames. The first frame becomes a single one. */
export function repeatedChannels(m: NetworkModule, x: Value, { inputs, outputs, frames }: GroupSides): Value {
  const all = outputs * frames * PATCH ** 2;
  const repeats = all / inputs;
  const order = Array.from({ length: all }, (_, at) => Math.floor(at / repeats));
  const large = pixelShuffle(m, gatherChannels(m, x, order), PATCH);
  if (frames === 1) return large;
  const sides = dimensions(m, large, 2, 4);
  const ints = (...values: number[]) => m.graph.int64Initializer(values);
  const steps = transpose(m, reshape(m, large, 0, outputs, frames, -1), 0, 2, 1, 3);
  const video = m.op('Reshape', [steps, concat(m, 0, ints(-1, outputs), sides)]);
  return frameSlice(m, video, frames - 1, 0);
}
