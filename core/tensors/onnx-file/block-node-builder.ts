/** Builds nodes over the blocks of one tensor. */

/** The name of a value. */
export type Value = string;

/** The part of a graph's builder that is used. */
export interface NodeBuilder {
  node(type: string, inputs: Value[], attributes?: Record<string, number | string | number[]>): Value;
  int64Initializer(values: number[]): Value;
  scalarInitializer(value: number): Value;
  /** Bytes that the graph itself contains. */
  bytes(shape: number[], values: readonly number[]): Value;
  /** Floats that a graph contains once for each name. Without `shape` they are a list. */
  sharedFloats(name: string, values: ArrayLike<number>, shape?: number[]): Value;
}

const FLOAT = 1;
const INT8 = 3;
const INT32 = 6;

/** Builds the nodes for one tensor. Blocks lie along the first axis of all values. */
export class BlockNodes {
  constructor(
    readonly graph: NodeBuilder,
    /** Bytes [blocks, bytes of a block]. */
    private readonly blocks: Value,
  ) {}

  op(type: string, ...inputs: Value[]): Value {
    return this.graph.node(type, inputs);
  }

  number(value: number): Value {
    return this.graph.scalarInitializer(value);
  }

  shaped(value: Value, ...shape: number[]): Value {
    return this.op('Reshape', value, this.graph.int64Initializer(shape));
  }

  slice(value: Value, start: number, end: number): Value {
    const { graph } = this;
    return this.op(
      'Slice',
      value,
      graph.int64Initializer([start]),
      graph.int64Initializer([end]),
      graph.int64Initializer([1]),
    );
  }

  /** Bytes [start, end) of each block. */
  bytes(start: number, end: number): Value {
    return this.slice(this.blocks, start, end);
  }

  floats(bytes: Value): Value {
    return this.graph.node('Cast', [bytes], { to: FLOAT });
  }

  /** Bytes [start, end) of each block as floats from -128 to 127. */
  signed(start: number, end: number): Value {
    return this.floats(this.graph.node('Cast', [this.bytes(start, end)], { to: INT8 }));
  }

  /** Bytes [start, end) of each block as rows of `size` bytes, all along the first axis. */
  rows(start: number, end: number, size: number): BlockNodes {
    return new BlockNodes(this.graph, this.shaped(this.bytes(start, end), -1, size));
  }

  /**
   * The numbers of a table at these indices, [...sides of the indices, width]; [...sides of the indices] without a width.
   * @param indices whole numbers of any type
   */
  lookUp(name: string, numbers: ArrayLike<number>, indices: Value, width?: number): Value {
    const shape = width === undefined ? [numbers.length] : [numbers.length / width, width];
    const table = this.graph.sharedFloats(name, numbers, shape);
    return this.op('Gather', table, this.graph.node('Cast', [indices], { to: INT32 }));
  }

  /** A 16-bit float of each block, [blocks, 1]. */
  half(start: number): Value {
    return this.halfOf(this.bytes(start + 1, start + 2), this.floats(this.bytes(start, start + 1)));
  }

  /** 16-bit floats of their two bytes. The upper byte decides what the lower one, a float, counts. */
  halfOf(upper: Value, lower: Value): Value {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte);
    const step = this.op('Mul', this.lookUp('half_step', bytes.map(halfStep), upper), lower);
    return this.op('Add', this.lookUp('half_start', bytes.map(halfStart), upper), step);
  }

  /**
   * The bits [shift, shift + count) of each byte, for every shift, as floats: [blocks, …, shifts, …]. Bytes are shifted as
   * bytes, which take a quarter of the memory.
   */
  fields(bytes: Value, shifts: readonly number[], count: number, ...after: number[]): Value {
    const shape = [shifts.length, ...after.map(() => 1)];
    const amounts = this.graph.bytes(
      shape,
      shifts.map((shift) => 8 - count - shift),
    );
    const left = this.graph.node('BitShift', [bytes, amounts], { direction: 'LEFT' });
    const right = this.graph.bytes([], [8 - count]);
    return this.floats(this.graph.node('BitShift', [left, right], { direction: 'RIGHT' }));
  }

  plus(a: Value, b: Value, times = 1): Value {
    return this.op('Add', a, times === 1 ? b : this.op('Mul', b, this.number(times)));
  }

  minus(a: Value, number: number): Value {
    return this.op('Sub', a, this.number(number));
  }

  join(...values: Value[]): Value {
    return this.graph.node('Concat', values, { axis: 1 });
  }
}

function halfStart(byte: number): number {
  const exponent = (byte >> 2) & 31;
  const fraction = (byte & 3) / 4;
  const size = exponent ? (1 + fraction) * 2 ** (exponent - 15) : fraction * 2 ** -14;
  return byte < 128 ? size : -size;
}

function halfStep(byte: number): number {
  const step = 2 ** (Math.max((byte >> 2) & 31, 1) - 25);
  return byte < 128 ? step : -step;
}

/** 32 numbers of 4 bits, [blocks, 32]. */
export const nibbles = (m: BlockNodes, start: number): Value =>
  m.shaped(m.fields(m.shaped(m.bytes(start, start + 16), 0, 1, 16), [0, 4], 4, 16), 0, 32);

/** 32 single bits, [blocks, 32]. */
export const bits = (m: BlockNodes, start: number): Value => {
  const eight = Array.from({ length: 8 }, (_, bit) => bit);
  return m.shaped(m.fields(m.shaped(m.bytes(start, start + 4), 0, 4, 1), eight, 1), 0, 32);
};

/** 256 numbers of 2 bits: each half of 32 bytes holds 128 of them. */
export const pairs = (m: BlockNodes, start: number): Value =>
  m.fields(m.shaped(m.bytes(start, start + 64), 0, 2, 1, 32), [0, 2, 4, 6], 2, 32);
