/**
 * Shortcuts around layers that trade cells for channels (Chen et al., "Deep compression autoencoder for efficient
 * high-resolution diffusion models", 2025, section 3.1).
 */
import { reshape } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';
import { gatherChannels } from './pixel-shuffle.ts';

/**
 * The mean of each group of neighboring channels: [batch, channels, height, width] to [batch, groups, height, width].
 * @param like a value of the result's shape
 */
export function groupMeans(m: NetworkModule, x: Value, channels: number, groups: number, like: Value): Value {
  if (channels === groups) return x;
  const grouped = reshape(m, x, 0, groups, channels / groups, -1);
  const means = m.op('ReduceMean', [grouped], { axes: [2], keepdims: 0 });
  return m.op('Reshape', [means, m.op('Shape', [like])]);
}

/** Repeats each channel in its place: [batch, channels, …] to [batch, channels · times, …]. */
export function repeatChannels(m: NetworkModule, x: Value, channels: number, times: number): Value {
  if (times === 1) return x;
  const order = Array.from({ length: channels * times }, (_, at) => Math.floor(at / times));
  return gatherChannels(m, x, order);
}

/** Squares of cells as channels: those of the first cell, then those of the next, row by row. */
export const squaresToChannels = (m: NetworkModule, x: Value): Value =>
  m.op('SpaceToDepth', [x], { blocksize: 2 });

/** Reverts `squaresToChannels`. */
export const channelsToSquares = (m: NetworkModule, x: Value): Value =>
  m.op('DepthToSpace', [x], { blocksize: 2, mode: 'DCR' });
