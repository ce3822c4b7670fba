/** Images as tokens of square patches (Dosovitskiy et al., "An image is worth 16x16 words", 2021, section 3.1). */
import { convolution } from './convolution.ts';
import { concat, dimensions, reshape, transpose } from './elementary.ts';
import type { NetworkModule, Value } from './network-module.ts';

/** A convolution of squares that do not overlap: [batch, width, rows, columns]. */
export const patchesOf = (projection: NetworkModule, x: Value): Value =>
  convolution(projection, x, { stride: projection.shape()[2]!, padding: { start: 0, end: 0 } });

/** int64 [rows, columns] of [batch, channels, rows, columns]. */
export const patchSides = (m: NetworkModule, patches: Value): Value => dimensions(m, patches, 2, 4);

/** [batch, width, rows, columns] to [batch, rows · columns, width]. */
export const cellsToTokens = (m: NetworkModule, cells: Value): Value =>
  transpose(m, reshape(m, cells, 0, 0, -1), 0, 2, 1);

/**
 * [batch, rows · columns, patch · patch · channels] to [batch, channels, rows · patch, columns · patch].
 * @param sides int64 [rows, columns]
 */
export function patchesToImage(m: NetworkModule, tokens: Value, sides: Value, patch: number): Value {
  const { graph } = m;
  const ints = (...values: number[]) => graph.int64Initializer(values);
  const grid = m.op('Reshape', [tokens, concat(m, 0, ints(0), sides, ints(patch * patch, -1))]);
  const cells = transpose(m, grid, 0, 4, 1, 2, 3);
  const split = m.op('Reshape', [cells, concat(m, 0, ints(0, 0), sides, ints(patch, patch))]);
  const rows = transpose(m, split, 0, 1, 2, 4, 3, 5);
  return m.op('Reshape', [rows, concat(m, 0, ints(0, 0), m.op('Mul', [sides, ints(patch)]))]);
}
