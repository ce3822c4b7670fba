/**
 * Nodes that turn blocks of GGUF's formats into floats (`../gguf/block-floats.ts` has the formulas). They use nothing but
 * shifted bytes and 32-bit floats, so every build of onnxruntime has them.
 */

/** The name of a value. */
type Value = string;

/** The part of a graph's builder that is used. */
export interface NodeBuilder {
  node(type: string, inputs: Value[], attributes?: Record<string, number | string>): Value;
  int64Initializer(values: number[]): Value;
  scalarInitializer(value: number): Value;
  /** Bytes that the graph itself contains. */
  bytes(shape: number[], values: readonly number[]): Value;
  /** Floats that a graph contains once for each name. */
  sharedFloats(name: string, values: ArrayLike<number>): Value;
}

const FLOAT = 1;
const INT8 = 3;
const INT32 = 6;

/** Builds the nodes for one tensor. Blocks lie along the first axis of all values. */
class BlockNodes {
  constructor(
    private readonly graph: NodeBuilder,
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

  /** A 16-bit float of each block, [blocks, 1]. The upper byte decides what the lower one counts. */
  half(start: number): Value {
    const upper = this.graph.node('Cast', [this.slice(this.blocks, start + 1, start + 2)], { to: INT32 });
    const value = (name: string, numbers: (byte: number) => number) =>
      this.op(
        'Gather',
        this.graph.sharedFloats(
          name,
          Array.from({ length: 256 }, (_, byte) => numbers(byte)),
        ),
        upper,
      );
    const step = this.op('Mul', value('half_step', halfStep), this.floats(this.bytes(start, start + 1)));
    return this.op('Add', value('half_start', halfStart), step);
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
const nibbles = (m: BlockNodes, start: number): Value =>
  m.shaped(m.fields(m.shaped(m.bytes(start, start + 16), 0, 1, 16), [0, 4], 4, 16), 0, 32);

/** 32 single bits, [blocks, 32]. */
const bits = (m: BlockNodes, start: number): Value => {
  const eight = Array.from({ length: 8 }, (_, bit) => bit);
  return m.shaped(m.fields(m.shaped(m.bytes(start, start + 4), 0, 4, 1), eight, 1), 0, 32);
};

/** 256 numbers of 2 bits: each half of 32 bytes holds 128 of them. */
const pairs = (m: BlockNodes, start: number): Value =>
  m.fields(m.shaped(m.bytes(start, start + 64), 0, 2, 1, 32), [0, 2, 4, 6], 2, 32);

/** Scales and offsets of groups of 32, [blocks, 8, 1] each, of the formats Q4_K and Q5_K. */
function groupScales(m: BlockNodes): [scale: Value, offset: Value] {
  const [first, second, third] = [m.bytes(4, 8), m.bytes(8, 12), m.bytes(12, 16)];
  const low = (bytes: Value, count: number) => m.fields(m.shaped(bytes, 0, 1, 4), [0], count, 4);
  const top = (bytes: Value, shift: number) => m.fields(m.shaped(bytes, 0, 1, 4), [shift], 8 - shift, 4);
  const joined = (a: Value, b: Value) => m.shaped(m.join(a, b), 0, 8, 1);
  return [
    joined(low(first, 6), m.plus(low(third, 4), top(first, 6), 16)),
    joined(low(second, 6), m.plus(top(third, 4), top(second, 6), 16)),
  ];
}

/** Numbers of 4 or 5 bits in 8 groups with scales and offsets. */
function groupsOf32(m: BlockNodes, quants: number, high?: number): Value {
  const [scale, offset] = groupScales(m);
  let q = m.shaped(m.fields(m.shaped(m.bytes(quants, quants + 128), 0, 4, 1, 32), [0, 4], 4, 32), 0, 8, 32);
  if (high !== undefined) {
    const eight = Array.from({ length: 8 }, (_, bit) => bit);
    q = m.plus(q, m.fields(m.shaped(m.bytes(high, high + 32), 0, 1, 32), eight, 1, 32), 16);
  }
  const factor = m.op('Mul', m.shaped(m.half(0), 0, 1, 1), scale);
  const base = m.op('Mul', m.shaped(m.half(2), 0, 1, 1), offset);
  return m.op('Sub', m.op('Mul', factor, q), base);
}

function q3(m: BlockNodes): Value {
  const eight = Array.from({ length: 8 }, (_, bit) => bit);
  const high = m.shaped(m.fields(m.shaped(m.bytes(0, 32), 0, 1, 32), eight, 1, 32), 0, 16, 16);
  const q = m.minus(m.plus(m.shaped(pairs(m, 32), 0, 16, 16), high, 4), 4);
  const low = m.shaped(m.fields(m.shaped(m.bytes(96, 104), 0, 1, 8), [0, 4], 4, 8), 0, 16);
  const top = m.shaped(m.fields(m.shaped(m.bytes(104, 108), 0, 1, 4), [0, 2, 4, 6], 2, 4), 0, 16);
  const scale = m.op('Mul', m.half(108), m.minus(m.plus(low, top, 16), 32));
  return m.op('Mul', m.shaped(scale, 0, 16, 1), q);
}

function q6(m: BlockNodes): Value {
  const low = m.fields(m.shaped(m.bytes(0, 128), 0, 2, 1, 64), [0, 4], 4, 64);
  const top = m.fields(m.shaped(m.bytes(128, 192), 0, 2, 1, 32), [0, 2, 4, 6], 2, 32);
  const q = m.minus(m.plus(m.shaped(low, 0, 16, 16), m.shaped(top, 0, 16, 16), 16), 32);
  const scale = m.op('Mul', m.half(208), m.signed(192, 208));
  return m.op('Mul', m.shaped(scale, 0, 16, 1), q);
}

function q2(m: BlockNodes): Value {
  const scales = m.bytes(0, 16);
  const part = (shift: number, count: number, start: number) =>
    m.shaped(m.op('Mul', m.half(start), m.fields(scales, [shift], count)), 0, 16, 1);
  const q = m.shaped(pairs(m, 16), 0, 16, 16);
  return m.op('Sub', m.op('Mul', part(0, 4, 80), q), part(4, 4, 82));
}

const FORMATS: Readonly<Record<string, (m: BlockNodes) => Value>> = {
  Q8_0: (m) => m.op('Mul', m.half(0), m.signed(2, 34)),
  Q4_0: (m) => m.op('Mul', m.half(0), m.minus(nibbles(m, 2), 8)),
  Q4_1: (m) => m.plus(m.op('Mul', m.half(0), nibbles(m, 4)), m.half(2)),
  Q5_0: (m) => m.op('Mul', m.half(0), m.minus(m.plus(nibbles(m, 6), bits(m, 2), 16), 16)),
  Q5_1: (m) => m.plus(m.op('Mul', m.half(0), m.plus(nibbles(m, 8), bits(m, 4), 16)), m.half(2)),
  Q2_K: q2,
  Q3_K: q3,
  Q4_K: (m) => groupsOf32(m, 16),
  Q5_K: (m) => groupsOf32(m, 48, 16),
  Q6_K: q6,
};

/**
 * The numbers of blocks, in the shape [blocks, …].
 * @param blocks bytes [blocks, bytes of a block]
 * @param type one with a `blockLayout`
 */
export const blockNodes = (graph: NodeBuilder, blocks: string, type: string): string =>
  FORMATS[type]!(new BlockNodes(graph, blocks));
