/** Attention between the cells of a window, with a bias for each distance of two cells. */
import { attend } from '../../layers/attention.ts';
import { add, gelu, reshape, slice, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import type { Sides, Windows } from './windows.ts';

const TABLE = 'relative_position_bias_table';

/** The side of a square window, from the rows of its table of biases: one for each distance. */
export const windowSide = (rows: number): number => (Math.sqrt(rows) + 1) / 2;

/**
 * Attention in each window of `x`: `qkv`, `proj` and `relative_position_bias_table` (Liu et al., "Swin Transformer",
 * 2021, section 3.2).
 * @param isShifted uses the shifted windows
 */
export function windowAttention(m: NetworkModule, x: Value, windows: Windows, isShifted: boolean): Value {
  const [width = 0] = m.at('proj').shape();
  const [, heads = 1] = m.shape(TABLE);
  const bias = distanceBias(m, m.parameter(TABLE), distanceRows(windows.sides, windows.sides), heads);
  const mask = [bias, ...(isShifted ? [windows.shiftMask()] : [])];
  return windows.each(m, [{ x, channels: width }], isShifted, width, (cells) => {
    const parts = threeParts(m, linear(m.at('qkv'), cells), width);
    return linear(m.at('proj'), attend(m, parts, width, { heads, isDecomposed: true, mask }));
  });
}

/** Query, key and value of the last axis, which holds all three. */
export const threeParts = (m: NetworkModule, x: Value, width: number): [Value, Value, Value] => [
  slice(m, x, -1, 0, width),
  slice(m, x, -1, width, 2 * width),
  slice(m, x, -1, 2 * width, 3 * width),
];

/** A block of SwinIR: attention and a feed-forward network, each with a norm before it. [batch, height, width, channels] */
export function swinBlock(m: NetworkModule, x: Value, windows: Windows, isShifted: boolean): Value {
  const attended = add(m, x, windowAttention(m.at('attn'), layerNorm(m.at('norm1'), x), windows, isShifted));
  return add(m, attended, swinFeedForward(m.at('mlp'), layerNorm(m.at('norm2'), attended)));
}

/** Two layers with a GELU between them: `fc1`, `fc2`. */
export const swinFeedForward = (m: NetworkModule, x: Value): Value =>
  linear(m.at('fc2'), gelu(m, linear(m.at('fc1'), x)));

/**
 * Biases of attention scores from a table with a row for each distance.
 * @param table [rows, heads]
 * @param rows of the table, for each two cells
 * @returns [1, heads, queries, keys]
 */
export function distanceBias(
  m: NetworkModule,
  table: Value,
  { rows, queries, keys }: DistanceRows,
  heads: number,
): Value {
  const picked = m.op('Gather', [table, m.graph.int64Initializer(rows)], { axis: 0 });
  return reshape(m, transpose(m, picked, 1, 0), 1, heads, queries, keys);
}

export interface DistanceRows {
  /** For each query, the row of each key. */
  rows: number[];
  queries: number;
  keys: number;
}

const cellsOf = ([height, width]: Sides): Sides[] =>
  Array.from({ length: height * width }, (_, at) => [Math.floor(at / width), at % width]);

/** The table has a row for each vertical and horizontal distance, from the most negative one. */
export function distanceRows(queries: Sides, keys: Sides): DistanceRows {
  const [from, to] = [cellsOf(queries), cellsOf(keys)];
  const width = queries[1] + keys[1] - 1;
  const rows = from.flatMap(([y, x]) =>
    to.map(([otherY, otherX]) => (y - otherY + keys[0] - 1) * width + x - otherX + keys[1] - 1),
  );
  return { rows, queries: from.length, keys: to.length };
}
