/** Nodes for GGUF's formats of 4 bits that name a number of a table, and for its ternary formats. */
import {
  FLOAT4_NUMBERS,
  IQ4_NUMBERS,
  MXFP4_SCALES,
  NVFP4_SCALES,
  ternaryDigit,
} from '../gguf/number-tables.ts';
import { type BlockNodes, nibbles, pairs, type Value } from './block-node-builder.ts';

const iq4 = (m: BlockNodes, indices: Value): Value => m.lookUp('iq4_numbers', IQ4_NUMBERS, indices);
const float4 = (m: BlockNodes, indices: Value): Value => m.lookUp('float4_numbers', FLOAT4_NUMBERS, indices);

function iq4xs(m: BlockNodes): Value {
  const low = m.shaped(m.fields(m.shaped(m.bytes(4, 8), 0, 4, 1), [0, 4], 4), 0, 8);
  const top = m.shaped(m.fields(m.shaped(m.bytes(2, 4), 0, 2, 1), [0, 2, 4, 6], 2), 0, 8);
  const scale = m.op('Mul', m.half(0), m.minus(m.plus(low, top, 16), 32));
  const indices = m.fields(m.shaped(m.bytes(8, 136), 0, 8, 1, 16), [0, 4], 4, 16);
  return m.op('Mul', m.shaped(scale, 0, 8, 1), iq4(m, m.shaped(indices, 0, 8, 32)));
}

function nvfp4(m: BlockNodes): Value {
  const scale = m.lookUp('nvfp4_scales', NVFP4_SCALES, m.bytes(0, 4));
  const indices = m.fields(m.shaped(m.bytes(4, 36), 0, 4, 1, 8), [0, 4], 4, 8);
  return m.op('Mul', m.shaped(scale, 0, 4, 1), float4(m, m.shaped(indices, 0, 4, 16)));
}

/** Five digits of each byte, [blocks, digits and bytes]: the first digits of all bytes come first. */
function digits(m: BlockNodes, start: number, end: number): Value {
  const table = Array.from({ length: 256 * 5 }, (_, at) => ternaryDigit(Math.floor(at / 5), at % 5));
  const found = m.lookUp('ternary_digits', table, m.bytes(start, end), 5);
  return m.shaped(m.graph.node('Transpose', [found], { perm: [0, 2, 1] }), 0, 5 * (end - start));
}

export const TABLE_FORMATS: Readonly<Record<string, (m: BlockNodes) => Value>> = {
  IQ4_NL: (m) => m.op('Mul', m.half(0), iq4(m, nibbles(m, 2))),
  IQ4_XS: iq4xs,
  MXFP4: (m) => m.op('Mul', m.lookUp('mxfp4_scales', MXFP4_SCALES, m.bytes(0, 1)), float4(m, nibbles(m, 1))),
  NVFP4: nvfp4,
  TQ1_0: (m) =>
    m.op('Mul', m.half(52), m.join(digits(m, 0, 32), digits(m, 32, 48), m.slice(digits(m, 48, 52), 0, 16))),
  TQ2_0: (m) => m.op('Mul', m.half(64), m.shaped(m.minus(pairs(m, 0), 1), 0, 256)),
};
