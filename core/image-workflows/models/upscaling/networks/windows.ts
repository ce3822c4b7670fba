/**
 * Windows of cells that attend to each other (Liu et al., "Swin Transformer: Hierarchical vision transformer using
 * shifted windows", 2021, section 3.2).
 */
import { attend } from '../../layers/attention.ts';
import { concat, reshape, scaled, slice, transpose } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/** `TensorProto.DataType` of ONNX. */
const FLOAT = 1;
/** Stands for the end of every axis. */
const END = 2 ** 31;
/** Added to the scores of cells that may not attend to each other. */
const FORBIDDEN = -100;

/** Square windows of values [batch, height, width, channels]. Height and width are multiples of their side. */
export class Windows {
  /** How many windows stand next to each other: [1]. */
  readonly #columns: Value;
  /** [batch, height, width] */
  readonly #sides: Value;
  /** For each two cells of a window, the row of the table of biases. */
  readonly #biasRows: Value;
  readonly #shift: number;
  #mask: Value | undefined;

  /** @param like a value with the sides of all others */
  constructor(
    private readonly root: NetworkModule,
    like: Value,
    readonly side: number,
  ) {
    const { graph } = root;
    this.#shift = Math.floor(side / 2);
    this.#sides = slice(root, root.op('Shape', [like]), 0, 0, 3);
    this.#columns = root.op('Div', [slice(root, this.#sides, 0, 2, 3), graph.int64Initializer([side])]);
    this.#biasRows = graph.int64Initializer(biasRows(side));
  }

  /**
   * Attention in each window, with a bias for each relative position: `qkv`, `proj` and `relative_position_bias_table`.
   * @param isShifted moves the windows down and to the right by half of their side
   */
  attention(m: NetworkModule, x: Value, isShifted: boolean): Value {
    const [width = 0] = m.at('proj').shape();
    const [, heads = 1] = m.shape('relative_position_bias_table');
    const windows = this.#split(m, isShifted ? roll(m, x, this.#shift) : x, width);
    const all = linear(m.at('qkv'), windows);
    const [query, key, value] = [0, 1, 2].map((at) => slice(m, all, -1, at * width, (at + 1) * width));
    const mask = [this.#bias(m, heads), ...(isShifted ? [this.#shiftMask()] : [])];
    const mixed = attend(m, [query!, key!, value!], width, { heads, isDecomposed: true, mask });
    const joined = this.#join(m, linear(m.at('proj'), mixed), width);
    return isShifted ? roll(m, joined, -this.#shift) : joined;
  }

  /** To [windows, cells, channels]. */
  #split(m: NetworkModule, x: Value, channels: number): Value {
    const { graph } = this.root;
    const { side } = this;
    const [before, after] = [graph.int64Initializer([-1, side]), graph.int64Initializer([side, channels])];
    const parts = m.op('Reshape', [x, concat(m, 0, before, this.#columns, after)]);
    return reshape(m, transpose(m, parts, 0, 2, 1, 3, 4), -1, side ** 2, channels);
  }

  /** Reverts `#split`. */
  #join(m: NetworkModule, windows: Value, channels: number): Value {
    const { graph } = this.root;
    const { side } = this;
    const after = graph.int64Initializer([side, side, channels]);
    const parts = m.op('Reshape', [
      windows,
      concat(m, 0, graph.int64Initializer([-1]), this.#columns, after),
    ]);
    const shape = concat(m, 0, this.#sides, graph.int64Initializer([channels]));
    return m.op('Reshape', [transpose(m, parts, 0, 2, 1, 3, 4), shape]);
  }

  /** [1, heads, cells, cells] */
  #bias(m: NetworkModule, heads: number): Value {
    const cells = this.side ** 2;
    const rows = m.op('Gather', [m.parameter('relative_position_bias_table'), this.#biasRows], { axis: 0 });
    return reshape(m, transpose(m, rows, 1, 0), 1, heads, cells, cells);
  }

  /** Cells that came from the other side of the image form regions of their own: [windows, 1, cells, cells]. */
  #shiftMask(): Value {
    this.#mask ??= this.#buildShiftMask();
    return this.#mask;
  }

  #buildShiftMask(): Value {
    const { root } = this;
    const rows = reshape(root, this.#regions(1), 1, -1, 1, 1);
    const columns = reshape(root, this.#regions(2), 1, 1, -1, 1);
    const image = root.op('Add', [scaled(root, rows, 3), columns]);
    const shape = concat(root, 0, this.#sides, root.graph.int64Initializer([1]));
    const regions = this.#split(root, root.op('Expand', [image, shape]), 1);
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
    const counts = [this.side, this.#shift].map((distance) => {
      const from = root.op('Sub', [length, integer(distance)]);
      return root.op('Cast', [root.op('GreaterOrEqual', [numbers, from])], { to: FLOAT });
    });
    return root.op('Add', counts);
  }
}

/** Moves cells up and to the left, and those that leave to the other side. A negative `shift` moves them back. */
const roll = (m: NetworkModule, x: Value, shift: number): Value =>
  [1, 2].reduce(
    (value, axis) => concat(m, axis, slice(m, value, axis, shift, END), slice(m, value, axis, 0, shift)),
    x,
  );

/** The table has a row for each vertical and horizontal distance from 1 - side to side - 1. */
function biasRows(side: number): number[] {
  const cells = Array.from(
    { length: side ** 2 },
    (_, cell) => [Math.floor(cell / side), cell % side] as const,
  );
  return cells.flatMap(([y, x]) =>
    cells.map(([otherY, otherX]) => (y - otherY + side - 1) * (2 * side - 1) + x - otherX + side - 1),
  );
}
