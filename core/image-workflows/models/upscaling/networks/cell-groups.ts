import { concat, reshape, slice, transpose } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/**
 * - `window`: the cells of a square window.
 * - `grid`: cells at equal distances, as many as a window has.
 * - `offset`: the cells at the same place of every window.
 */
export type CellGroup = 'window' | 'grid' | 'offset';

/** Groups of the cells of values [batch, height, width, channels]. Sides are multiples of a window's side. */
export class CellGroups {
  /** Windows below each other and next to each other: [1] each. */
  readonly #counts: readonly [Value, Value];

  /** @param planes [batch, channels, height, width] */
  constructor(
    root: NetworkModule,
    planes: Value,
    readonly side: number,
  ) {
    const shape = root.op('Shape', [planes]);
    const divisor = root.graph.int64Initializer([side]);
    const count = (axis: number) => root.op('Div', [slice(root, shape, 0, axis, axis + 1), divisor]);
    this.#counts = [count(2), count(3)];
  }

  /** To [groups, cells, channels]. */
  split(m: NetworkModule, x: Value, channels: number, kind: CellGroup): Value {
    const { graph } = m;
    const parts = m.op('Reshape', [x, this.#shape(m, channels, kind, false)]);
    const order = kind === 'window' ? [0, 1, 3, 2, 4, 5] : [0, 2, 4, 1, 3, 5];
    const grouped = transpose(m, parts, ...order);
    if (kind !== 'offset') return reshape(m, grouped, -1, this.side ** 2, channels);
    const cells = m.op('Mul', [...this.#counts]);
    const ends = [graph.int64Initializer([-1]), graph.int64Initializer([channels])] as const;
    return m.op('Reshape', [grouped, concat(m, 0, ends[0], cells, ends[1])]);
  }

  /** Reverts `split`. */
  join(m: NetworkModule, groups: Value, channels: number, kind: CellGroup): Value {
    const { graph } = m;
    const parts = m.op('Reshape', [groups, this.#shape(m, channels, kind, true)]);
    const order = kind === 'window' ? [0, 1, 3, 2, 4, 5] : [0, 3, 1, 4, 2, 5];
    const [rows, columns] = this.#counts.map((count) =>
      m.op('Mul', [count, graph.int64Initializer([this.side])]),
    ) as [Value, Value];
    const shape = concat(
      m,
      0,
      graph.int64Initializer([-1]),
      rows,
      columns,
      graph.int64Initializer([channels]),
    );
    return m.op('Reshape', [transpose(m, parts, ...order), shape]);
  }

  /** Six axes: batch, two for the height, two for the width, channels. Grouped: the axes of a group come last. */
  #shape(m: NetworkModule, channels: number, kind: CellGroup, isGrouped: boolean): Value {
    const { graph } = m;
    const side = graph.int64Initializer([this.side]);
    const [rows, columns] = this.#counts;
    const isOuter = kind === 'grid';
    const pairs = [rows, columns].map((count) => (isOuter ? [side, count] : [count, side])) as [
      [Value, Value],
      [Value, Value],
    ];
    const [[top, below], [left, right]] = pairs;
    const grouped = kind === 'window' ? [top, left, below, right] : [below, right, top, left];
    const axes = isGrouped ? grouped : [top, below, left, right];
    return concat(m, 0, graph.int64Initializer([-1]), ...axes, graph.int64Initializer([channels]));
  }
}
