import { concat } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/** Cells that are added around a value. */
interface Border {
  /** On each side, before those that make the sides multiples. Default: 0. */
  width?: number;
  mode?: 'constant' | 'reflect';
}

/** Makes height and width of values multiples of a number, and cuts results to the sides that belong to the input. */
export class PaddedSides {
  /** [2] */
  readonly #sides: Value;
  /** How many cells are missing: [2]. */
  readonly #missing: Value;

  /**
   * @param like a value with the sides of all others
   * @param axis of the height. The width follows.
   */
  constructor(
    root: NetworkModule,
    like: Value,
    private readonly axis: 1 | 2,
    readonly multiple: number,
  ) {
    const { graph } = root;
    const [start, end] = [graph.int64Initializer([axis]), graph.int64Initializer([axis + 2])];
    this.#sides = root.op('Slice', [root.op('Shape', [like]), start, end]);
    this.#missing = root.op('Mod', [root.op('Neg', [this.#sides]), graph.int64Initializer([multiple])]);
  }

  /** Adds cells after the last row and column, and around all. `x` has four axes. */
  pad(m: NetworkModule, x: Value, { width = 0, mode = 'constant' }: Border = {}): Value {
    const { graph } = m;
    const border = graph.int64Initializer([width]);
    const after = m.op('Add', [this.#missing, border]);
    const zeros = (count: number) => graph.int64Initializer(Array(count).fill(0));
    const [outer, inner] = this.axis === 1 ? [1, 1] : [2, 0];
    const before = [zeros(outer), border, border, ...(inner > 0 ? [zeros(inner)] : [])];
    const end = [zeros(outer), after, ...(inner > 0 ? [zeros(inner)] : [])];
    return m.op('Pad', [x, concat(m, 0, ...before, ...end)], { mode });
  }

  /** The first rows and columns: `factor` for each of the input. */
  crop(m: NetworkModule, x: Value, factor = 1): Value {
    const { graph } = m;
    const ends = m.op('Mul', [this.#sides, graph.int64Initializer([factor])]);
    return m.op('Slice', [
      x,
      graph.int64Initializer([0, 0]),
      ends,
      graph.int64Initializer([this.axis, this.axis + 1]),
    ]);
  }
}
