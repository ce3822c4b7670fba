/**
 * Nodes that turn blocks of GGUF's formats into floats (`../gguf/block-floats.ts` has the formulas). They use nothing but
 * shifted bytes and 32-bit floats, so every build of onnxruntime has them.
 */
import { BlockNodes, bits, type NodeBuilder, nibbles, pairs, type Value } from './block-node-builder.ts';
import { GRID_FORMATS } from './grid-block-nodes.ts';
import { TABLE_FORMATS } from './table-block-nodes.ts';

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
  ...GRID_FORMATS,
  ...TABLE_FORMATS,
};

/**
 * The numbers of blocks, in the shape [blocks, …].
 * @param blocks bytes [blocks, bytes of a block]
 * @param type one with a `blockLayout`
 */
export const blockNodes = (graph: NodeBuilder, blocks: string, type: string): string =>
  FORMATS[type]!(new BlockNodes(graph, blocks));
