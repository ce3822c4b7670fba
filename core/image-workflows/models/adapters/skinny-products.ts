/**
 * Products of a large matrix [rows, columns] with a few vectors ("skinny" matrix products), and operations on these
 * vectors. A list of vectors is one array in which they follow one another.
 */
import type { Steps } from '../../yielding/steps.ts';

export interface Matrix {
  numbers: Float32Array;
  rows: number;
  columns: number;
}

// The loops are functions of their own because V8 optimizes loops in generators poorly.

/** `output` [count, rows] = `vectors` [count, columns] x matrix transposed. */
export function* multiplyTransposed(
  matrix: Matrix,
  vectors: Float32Array,
  output: Float32Array,
): Steps<void> {
  for (let row = 0; row < matrix.rows; row += 2) {
    multiplyTwoRows(matrix, row, vectors, output);
    yield;
  }
}

/** Two rows of the matrix with all vectors, in tiles of 2 x 4, whose sums fit into registers. */
function multiplyTwoRows(
  { numbers, rows, columns }: Matrix,
  row: number,
  vectors: Float32Array,
  output: Float32Array,
): void {
  const count = output.length / rows;
  const row0 = row * columns;
  // With an odd number of rows, the last one is computed twice and stored once.
  const row1 = Math.min(row + 1, rows - 1) * columns;
  for (let j = 0; j < count; j += 4) {
    const [v0, v1, v2, v3] = fourFrom(j, count, columns);
    let [acc00, acc01, acc02, acc03, acc10, acc11, acc12, acc13] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < columns; i++) {
      const a0 = numbers[row0 + i]!;
      const a1 = numbers[row1 + i]!;
      const b0 = vectors[v0 + i]!;
      acc00 += a0 * b0;
      acc10 += a1 * b0;
      const b1 = vectors[v1 + i]!;
      acc01 += a0 * b1;
      acc11 += a1 * b1;
      const b2 = vectors[v2 + i]!;
      acc02 += a0 * b2;
      acc12 += a1 * b2;
      const b3 = vectors[v3 + i]!;
      acc03 += a0 * b3;
      acc13 += a1 * b3;
    }
    const acc = [acc00, acc10, acc01, acc11, acc02, acc12, acc03, acc13];
    for (let k = 0; k < 4 && j + k < count; k++) {
      output[(j + k) * rows + row] = acc[2 * k]!;
      if (row + 1 < rows) output[(j + k) * rows + row + 1] = acc[2 * k + 1]!;
    }
  }
}

/** `output` [count, columns] = `vectors` [count, rows] x matrix. */
export function* multiply(matrix: Matrix, vectors: Float32Array, output: Float32Array): Steps<void> {
  output.fill(0);
  for (let row = 0; row < matrix.rows; row += 4) {
    addFourRows(matrix, row, vectors, output);
    yield;
  }
}

/** Adds four rows of the matrix to all outputs, in tiles of 4 x 2. */
function addFourRows(
  { numbers, rows, columns }: Matrix,
  row: number,
  vectors: Float32Array,
  output: Float32Array,
): void {
  const count = vectors.length / rows;
  const [row0, row1, row2, row3] = fourFrom(row, rows, columns);
  // Beyond the last row and the last vector, the factors are 0.
  const factor = (j: number, k: number) => (j < count && row + k < rows ? vectors[j * rows + row + k]! : 0);
  for (let j = 0; j < count; j += 2) {
    const [b00, b01, b02, b03] = [factor(j, 0), factor(j, 1), factor(j, 2), factor(j, 3)];
    const [b10, b11, b12, b13] = [factor(j + 1, 0), factor(j + 1, 1), factor(j + 1, 2), factor(j + 1, 3)];
    const out0 = j * columns;
    // With an odd number of vectors, zeros are added to the last one again.
    const out1 = Math.min(j + 1, count - 1) * columns;
    for (let i = 0; i < columns; i++) {
      const a0 = numbers[row0 + i]!;
      const a1 = numbers[row1 + i]!;
      const a2 = numbers[row2 + i]!;
      const a3 = numbers[row3 + i]!;
      output[out0 + i]! += b00 * a0 + b01 * a1 + b02 * a2 + b03 * a3;
      output[out1 + i]! += b10 * a0 + b11 * a1 + b12 * a2 + b13 * a3;
    }
  }
}

/** The offsets of four consecutive vectors. Beyond the last one, its offset is repeated. */
function fourFrom(first: number, count: number, length: number): [number, number, number, number] {
  const offset = (index: number) => Math.min(index, count - 1) * length;
  return [offset(first), offset(first + 1), offset(first + 2), offset(first + 3)];
}

/**
 * Gram-Schmidt with one reorthogonalization, which suffices (Giraud et al., "The loss of orthogonality in the
 * Gram-Schmidt orthogonalization process", 2005). A vector in the span of earlier ones becomes zero.
 */
export function* orthonormalize(vectors: Float32Array, length: number): Steps<void> {
  const count = vectors.length / length;
  for (let i = 0; i < count; i++) {
    orthonormalizeVector(vectors, i, length);
    yield;
  }
}

function orthonormalizeVector(vectors: Float32Array, index: number, length: number): void {
  const at = index * length;
  const before = Math.sqrt(vectorDot(vectors, at, at, length));
  for (let pass = 0; pass < 2; pass++)
    for (let j = 0; j < index; j++) {
      const from = j * length;
      addScaledVector(vectors, at, -vectorDot(vectors, at, from, length), vectors, from, length);
    }
  const after = Math.sqrt(vectorDot(vectors, at, at, length));
  const factor = after > before * 1e-6 ? 1 / after : 0;
  for (let i = 0; i < length; i++) vectors[at + i]! *= factor;
}

/** The dot product of the vectors that begin at the offsets `a` and `b`. */
export function vectorDot(vectors: Float32Array, a: number, b: number, length: number): number {
  // Four independent sums let the additions overlap.
  let [acc0, acc1, acc2, acc3] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    acc0 += vectors[a + i]! * vectors[b + i]!;
    acc1 += vectors[a + i + 1]! * vectors[b + i + 1]!;
    acc2 += vectors[a + i + 2]! * vectors[b + i + 2]!;
    acc3 += vectors[a + i + 3]! * vectors[b + i + 3]!;
  }
  for (; i < length; i++) acc0 += vectors[a + i]! * vectors[b + i]!;
  return acc0 + acc1 + acc2 + acc3;
}

/** to[at …] += factor from[start …], for `length` elements. */
export function addScaledVector(
  to: Float32Array,
  at: number,
  factor: number,
  from: Float32Array,
  start: number,
  length: number,
): void {
  for (let i = 0; i < length; i++) to[at + i]! += factor * from[start + i]!;
}
