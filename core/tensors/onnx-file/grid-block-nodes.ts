/** Nodes for GGUF's IQ1, IQ2 and IQ3 formats: rows of a grid, with signs or an offset, and scales. */
import { evenSigns, type GridName, gridOf } from '../gguf/grids.ts';
import type { BlockNodes, Value } from './block-node-builder.ts';

const BITS = [0, 1, 2, 3, 4, 5, 6, 7];
const SIGNS = Float32Array.from({ length: 128 * 8 }, (_, at) =>
  (evenSigns(at >> 3) >> (at & 7)) & 1 ? -1 : 1,
);

/** Rows of a grid, [...sides of the indices, numbers of a row]. */
function rowsOf(m: BlockNodes, name: GridName, indices: Value): Value {
  const { width, numbers } = gridOf(name);
  return m.lookUp(`${name.toLowerCase()}_grid`, numbers, indices, width);
}

/** Bits of one byte of each row, [rows, 1]. */
const part = (rows: BlockNodes, byte: number, shift: number, count: number): Value =>
  rows.fields(rows.bytes(byte, byte + 1), [shift], count);

/** Eight signs for each of four times seven bits in 32-bit integers, [rows, 4, 8]. */
function evenSignsOf(rows: BlockNodes, at: number): Value {
  const indices = rows.join(
    part(rows, at, 0, 7),
    rows.plus(part(rows, at, 7, 1), part(rows, at + 1, 0, 6), 2),
    rows.plus(part(rows, at + 1, 6, 2), part(rows, at + 2, 0, 5), 4),
    rows.plus(part(rows, at + 2, 5, 3), part(rows, at + 3, 0, 4), 8),
  );
  return rows.lookUp('even_signs', SIGNS, indices, 8);
}

/** A sign for each bit of 32 bytes, [blocks, 32, 8]. */
function signsOf(m: BlockNodes, start: number): Value {
  const bits = m.fields(m.shaped(m.bytes(start, start + 32), 0, 32, 1), BITS, 1);
  return m.op('Sub', m.number(1), m.op('Mul', bits, m.number(2)));
}

/** Bits of bytes [start, end), in the order of the bytes, [blocks, fields]. */
const fieldsOf = (m: BlockNodes, start: number, end: number, shifts: number[], count: number): Value =>
  m.shaped(
    m.fields(m.shaped(m.bytes(start, end), 0, end - start, 1), shifts, count),
    0,
    (end - start) * shifts.length,
  );

/** `(scale + added) * times`, multiplied by the block's own scale: [blocks, groups, 1]. */
const scaled = (m: BlockNodes, d: Value, scale: Value, added: number, times: number, groups: number): Value =>
  m.shaped(m.op('Mul', d, m.op('Mul', m.op('Add', scale, m.number(added)), m.number(times))), 0, groups, 1);

/** Signed rows in groups that share a scale, multiplied by it: [blocks, groups, numbers of a group]. */
const product = (m: BlockNodes, grid: Value, signs: Value, scale: Value, groups: number): Value =>
  m.op(
    'Mul',
    scale,
    m.op('Mul', m.shaped(grid, -1, groups, 256 / groups), m.shaped(signs, -1, groups, 256 / groups)),
  );

function iq2xxs(m: BlockNodes): Value {
  const rows = m.rows(2, 66, 8);
  const scale = scaled(m, m.half(0), m.shaped(part(rows, 7, 4, 4), -1, 8), 0.5, 0.25, 8);
  return product(m, rowsOf(m, 'IQ2_XXS', rows.bytes(0, 4)), evenSignsOf(rows, 4), scale, 8);
}

function iq2xs(m: BlockNodes): Value {
  const rows = m.rows(2, 66, 2);
  const indices = m.plus(rows.floats(rows.bytes(0, 1)), part(rows, 1, 0, 1), 256);
  const signs = m.lookUp('even_signs', SIGNS, part(rows, 1, 1, 7), 8);
  const scale = scaled(m, m.half(0), fieldsOf(m, 66, 74, [0, 4], 4), 0.5, 0.25, 16);
  return product(m, rowsOf(m, 'IQ2_XS', indices), signs, scale, 16);
}

function iq2s(m: BlockNodes): Value {
  const indices = m.plus(m.floats(m.bytes(2, 34)), fieldsOf(m, 66, 74, [0, 2, 4, 6], 2), 256);
  const scale = scaled(m, m.half(0), fieldsOf(m, 74, 82, [0, 4], 4), 0.5, 0.25, 16);
  return product(m, rowsOf(m, 'IQ2_S', indices), signsOf(m, 34), scale, 16);
}

function iq3xxs(m: BlockNodes): Value {
  const rows = m.rows(66, 98, 4);
  const scale = scaled(m, m.half(0), m.shaped(part(rows, 3, 4, 4), -1, 8), 0.5, 0.5, 8);
  return product(m, rowsOf(m, 'IQ3_XXS', m.bytes(2, 66)), evenSignsOf(rows, 0), scale, 8);
}

function iq3s(m: BlockNodes): Value {
  const indices = m.plus(m.floats(m.bytes(2, 66)), fieldsOf(m, 66, 74, BITS, 1), 256);
  const scale = scaled(m, m.half(0), fieldsOf(m, 106, 110, [0, 4], 4), 0.5, 2, 8);
  return product(m, rowsOf(m, 'IQ3_S', indices), signsOf(m, 74), scale, 8);
}

/** Four fields of three bits in the lower 12 bits of 16-bit integers, [rows, 4]. */
const triples = (rows: BlockNodes): Value =>
  rows.join(
    part(rows, 0, 0, 3),
    part(rows, 0, 3, 3),
    rows.plus(part(rows, 0, 6, 2), part(rows, 1, 0, 1), 4),
    part(rows, 1, 1, 3),
  );

/**
 * Rows of -1, 0, 1 plus or minus an eighth, multiplied by their scale.
 * @param indices [blocks, 32]
 * @param isNegative [blocks, groups]
 */
function withOffset(m: BlockNodes, indices: Value, isNegative: Value, groups: number): Value {
  const grid = m.shaped(rowsOf(m, 'IQ1_S', indices), 0, groups, 256 / groups);
  const offset = m.op('Sub', m.number(0.125), m.op('Mul', isNegative, m.number(0.25)));
  return m.op('Add', grid, m.shaped(offset, -1, groups, 1));
}

function iq1s(m: BlockNodes): Value {
  const rows = m.rows(34, 50, 2);
  const indices = m.plus(m.floats(m.bytes(2, 34)), m.shaped(triples(rows), -1, 32), 256);
  const scale = scaled(m, m.half(0), m.shaped(part(rows, 1, 4, 3), -1, 8), 0.5, 2, 8);
  return m.op('Mul', scale, withOffset(m, indices, part(rows, 1, 7, 1), 8));
}

function iq1m(m: BlockNodes): Value {
  const rows = m.rows(48, 56, 2);
  const upper = m.shaped(part(rows, 1, 4, 4), -1, 4);
  const nibble = (at: number) => m.slice(upper, at, at + 1);
  const d = m.halfOf(m.plus(nibble(2), nibble(3), 16), m.plus(nibble(0), nibble(1), 16));
  const indices = m.plus(m.floats(m.bytes(0, 32)), fieldsOf(m, 32, 48, [0, 4], 3), 256);
  const scale = scaled(m, d, m.shaped(triples(rows), -1, 16), 0.5, 2, 16);
  const numbers = withOffset(m, indices, fieldsOf(m, 32, 48, [3, 7], 1), 32);
  return m.op('Mul', scale, m.shaped(numbers, 0, 16, 16));
}

export const GRID_FORMATS: Readonly<Record<string, (m: BlockNodes) => Value>> = {
  IQ1_S: iq1s,
  IQ1_M: iq1m,
  IQ2_XXS: iq2xxs,
  IQ2_XS: iq2xs,
  IQ2_S: iq2s,
  IQ3_XXS: iq3xxs,
  IQ3_S: iq3s,
};
