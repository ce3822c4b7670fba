/** Products of a large matrix [rows, columns] with a few vectors, which lie one after another. */
import type { Steps } from '../../yielding/steps.ts';

export interface Matrix {
  numbers: Float32Array;
  rows: number;
  columns: number;
}

// The loops stand in functions of their own: V8 does not compile those of generators well.

/** `made` [count, rows] = `given` [count, columns] x matrix transposed. */
export function* multiplyTransposed(matrix: Matrix, given: Float32Array, made: Float32Array): Steps<void> {
  for (let row = 0; row < matrix.rows; row += 2) {
    twoRows(matrix, row, given, made);
    yield;
  }
}

/** In tiles of 2 x 4, which registers hold. */
function twoRows(
  { numbers, rows, columns }: Matrix,
  row: number,
  given: Float32Array,
  made: Float32Array,
): void {
  const count = made.length / rows;
  const x = row * columns;
  // Of an odd number of rows, the last one is worked out twice.
  const y = Math.min(row + 1, rows - 1) * columns;
  for (let one = 0; one < count; one += 4) {
    const [a, b, c, d] = fourFrom(one, count, columns);
    let [xa, xb, xc, xd, ya, yb, yc, yd] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < columns; i++) {
      const first = numbers[x + i]!;
      const second = numbers[y + i]!;
      const inA = given[a + i]!;
      xa += first * inA;
      ya += second * inA;
      const inB = given[b + i]!;
      xb += first * inB;
      yb += second * inB;
      const inC = given[c + i]!;
      xc += first * inC;
      yc += second * inC;
      const inD = given[d + i]!;
      xd += first * inD;
      yd += second * inD;
    }
    const results = [xa, ya, xb, yb, xc, yc, xd, yd];
    for (let part = 0; part < 4 && one + part < count; part++) {
      made[(one + part) * rows + row] = results[2 * part]!;
      if (row + 1 < rows) made[(one + part) * rows + row + 1] = results[2 * part + 1]!;
    }
  }
}

/** `made` [count, columns] = `given` [count, rows] x matrix. */
export function* multiply(matrix: Matrix, given: Float32Array, made: Float32Array): Steps<void> {
  made.fill(0);
  for (let row = 0; row < matrix.rows; row += 4) {
    addFourRows(matrix, row, given, made);
    yield;
  }
}

/** In tiles of 4 x 2. */
function addFourRows(
  { numbers, rows, columns }: Matrix,
  row: number,
  given: Float32Array,
  made: Float32Array,
): void {
  const count = given.length / rows;
  const [a, b, c, d] = fourFrom(row, rows, columns);
  // Beyond the last row nothing counts.
  const factor = (one: number, part: number) =>
    one < count && row + part < rows ? given[one * rows + row + part]! : 0;
  for (let one = 0; one < count; one += 2) {
    const other = one + 1;
    const [xa, xb, xc, xd] = [factor(one, 0), factor(one, 1), factor(one, 2), factor(one, 3)];
    const [ya, yb, yc, yd] = [factor(other, 0), factor(other, 1), factor(other, 2), factor(other, 3)];
    const x = one * columns;
    // Of an odd number of vectors, nothing is added to the last one a second time.
    const y = Math.min(other, count - 1) * columns;
    for (let i = 0; i < columns; i++) {
      const fromA = numbers[a + i]!;
      const fromB = numbers[b + i]!;
      const fromC = numbers[c + i]!;
      const fromD = numbers[d + i]!;
      made[x + i]! += xa * fromA + xb * fromB + xc * fromC + xd * fromD;
      made[y + i]! += ya * fromA + yb * fromB + yc * fromC + yd * fromD;
    }
  }
}

/** Where four of `count` things of one length begin; the last one again where there are fewer. */
function fourFrom(first: number, count: number, length: number): [number, number, number, number] {
  const at = (place: number) => Math.min(place, count - 1) * length;
  return [at(first), at(first + 1), at(first + 2), at(first + 3)];
}

/** By Gram and Schmidt, twice, which is enough (Giraud et al., 2005). One that lies in the others becomes zero. */
export function* orthonormalize(vectors: Float32Array, length: number): Steps<void> {
  const count = vectors.length / length;
  for (let one = 0; one < count; one++) {
    orthonormalizeOne(vectors, one, length);
    yield;
  }
}

function orthonormalizeOne(vectors: Float32Array, one: number, length: number): void {
  const at = one * length;
  const before = Math.sqrt(dot(vectors, at, at, length));
  for (let pass = 0; pass < 2; pass++)
    for (let other = 0; other < one; other++) {
      const from = other * length;
      addScaledVector(vectors, at, -dot(vectors, at, from, length), vectors, from, length);
    }
  const after = Math.sqrt(dot(vectors, at, at, length));
  const factor = after > before * 1e-6 ? 1 / after : 0;
  for (let i = 0; i < length; i++) vectors[at + i]! *= factor;
}

/** Of two of the vectors, by where they begin. */
export function dot(vectors: Float32Array, one: number, other: number, length: number): number {
  let [sum, second, third, fourth] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    sum += vectors[one + i]! * vectors[other + i]!;
    second += vectors[one + i + 1]! * vectors[other + i + 1]!;
    third += vectors[one + i + 2]! * vectors[other + i + 2]!;
    fourth += vectors[one + i + 3]! * vectors[other + i + 3]!;
  }
  for (; i < length; i++) sum += vectors[one + i]! * vectors[other + i]!;
  return sum + second + third + fourth;
}

/** `to` += factor `from`, for `length` numbers of each. */
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
