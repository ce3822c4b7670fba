/**
 * Windows of cells that attend to each other (Liu et al., "Swin Transformer: Hierarchical vision transformer using
 * shifted windows", 2021, section 3.2).
 */
import { concat, reshape, scaled, slice, transpose } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/** `TensorProto.DataType` of ONNX. */
const FLOAT = 1;
/** Stands for the end of every axis. */
const END = 2 ** 31;
/** Added to the scores of cells that may not attend to each other. */
const FORBIDDEN = -100;

/** Height and width. */
export type Sides = readonly [number, number];

/** Windows of values [batch, height, width, channels]. Height and width are multiples of their sides. */
export class Windows {
  /** Cells of a window. */
  readonly cells: number;
  /** How many windows stand next to each other: [1]. */
  readonly #columns: Value;
  /** [batch, height, width] */
  readonly #sides: Value;
  #mask: Value | undefined;

  /**
   * @param like a value with the sides of all others
   * @param shift how far shifted windows lie down and to the right
   */
  constructor(
    private readonly root: NetworkModule,
    like: Value,
    readonly sides: Sides,
    private readonly shift: Sides = [Math.floor(sides[0] / 2), Math.floor(sides[1] / 2)],
  ) {
    this.cells = sides[0] * sides[1];
    this.#sides = slice(root, root.op('Shape', [like]), 0, 0, 3);
    const width = slice(root, this.#sides, 0, 2, 3);
    this.#columns = root.op('Div', [width, root.graph.int64Initializer([sides[1]])]);
  }

  /** Applies `mix` to the windows [windows, cells, channels] of values. @param channels of the result */
  each(
    m: NetworkModule,
    values: readonly { x: Value; channels: number }[],
    isShifted: boolean,
    channels: number,
    mix: (...windows: Value[]) => Value,
  ): Value {
    const moved = (x: Value) => (isShifted ? roll(m, x, this.shift) : x);
    const joined = this.join(
      m,
      mix(...values.map(({ x, channels: width }) => this.split(m, moved(x), width))),
      channels,
    );
    return isShifted ? roll(m, joined, [-this.shift[0], -this.shift[1]]) : joined;
  }

  /** To [windows, cells, channels]. */
  split(m: NetworkModule, x: Value, channels: number): Value {
    const { graph } = this.root;
    const [height, width] = this.sides;
    const [before, after] = [graph.int64Initializer([-1, height]), graph.int64Initializer([width, channels])];
    const parts = m.op('Reshape', [x, concat(m, 0, before, this.#columns, after)]);
    return reshape(m, transpose(m, parts, 0, 2, 1, 3, 4), -1, this.cells, channels);
  }

  /** Reverts `split`. */
  join(m: NetworkModule, windows: Value, channels: number): Value {
    const { graph } = this.root;
    const after = graph.int64Initializer([...this.sides, channels]);
    const parts = m.op('Reshape', [
      windows,
      concat(m, 0, graph.int64Initializer([-1]), this.#columns, after),
    ]);
    const shape = concat(m, 0, this.#sides, graph.int64Initializer([channels]));
    return m.op('Reshape', [transpose(m, parts, 0, 2, 1, 3, 4), shape]);
  }

  /**
   * Windows of a larger side around each square window, with zeros beyond the edges: [windows, larger², channels].
   * @param larger differs from the side by an even number
   */
  overlapping(m: NetworkModule, x: Value, channels: number, larger: number): Value {
    const { graph } = this.root;
    const [side] = this.sides;
    const border = (larger - side) / 2;
    let windows = m.op('Pad', [x, graph.int64Initializer([0, border, border, 0, 0, border, border, 0])]);
    // An axis becomes two: the window's number, and the cell in the window. The other axis moves by one.
    for (const [at, axis] of [1, 3].entries()) {
      const length = m.op('Gather', [this.#sides, graph.int64Initializer([at + 1], true)], { axis: 0 });
      const [zero, step] = [graph.int64Initializer([0], true), graph.int64Initializer([side], true)];
      const starts = reshape(m, m.op('Range', [zero, length, step]), -1, 1);
      const offsets = graph.int64Initializer(Array.from({ length: larger }, (_, offset) => offset));
      windows = m.op('Gather', [windows, m.op('Add', [starts, offsets])], { axis });
    }
    return reshape(m, transpose(m, windows, 0, 1, 3, 2, 4, 5), -1, larger ** 2, channels);
  }

  /** Cells that came from the other side of the image form regions of their own: [windows, 1, cells, cells]. */
  shiftMask(): Value {
    this.#mask ??= this.#buildShiftMask();
    return this.#mask;
  }

  #buildShiftMask(): Value {
    const { root } = this;
    const rows = reshape(root, this.#regions(1), 1, -1, 1, 1);
    const columns = reshape(root, this.#regions(2), 1, 1, -1, 1);
    const image = root.op('Add', [scaled(root, rows, 3), columns]);
    const shape = concat(root, 0, this.#sides, root.graph.int64Initializer([1]));
    const regions = this.split(root, root.op('Expand', [image, shape]), 1);
    const isSame = root.op('Equal', [regions, transpose(root, regions, 0, 2, 1)]);
    const values = [root.graph.scalarInitializer(0), root.graph.scalarInitializer(FORBIDDEN)];
    const mask = root.op('Where', [isSame, ...values]);
    return root.op('Unsqueeze', [mask, root.graph.int64Initializer([1])]);
  }

  /** The region of each row or column: 0, or 1 in the last window, or 2 where cells came from the other side. */
  #regions(axis: number): Value {
    const { root } = this;
    const integer = (value: number) => root.graph.int64Initializer([value], true);
    const length = root.op('Gather', [this.#sides, integer(axis)], { axis: 0 });
    const numbers = root.op('Range', [integer(0), length, integer(1)]);
    const counts = [this.sides[axis - 1]!, this.shift[axis - 1]!].map((distance) => {
      const from = root.op('Sub', [length, integer(distance)]);
      return root.op('Cast', [root.op('GreaterOrEqual', [numbers, from])], { to: FLOAT });
    });
    return root.op('Add', counts);
  }
}

/** Moves cells up and to the left, and those that leave to the other side. Negative shifts move them back. */
const roll = (m: NetworkModule, x: Value, shift: Sides): Value =>
  shift.reduce(
    (value, by, at) =>
      by === 0 ? value : concat(m, at + 1, slice(m, value, at + 1, by, END), slice(m, value, at + 1, 0, by)),
    x,
  );
