/**
 * Near-best low-rank approximation: a randomized singular value decomposition with power iterations (Halko, Martinsson,
 * Tropp, "Finding structure with randomness", 2011, algorithms 4.4 and 5.1).
 */
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { Steps } from '../../yielding/steps.ts';
import {
  addScaledVector,
  multiply,
  multiplyTransposed,
  orthonormalize,
  vectorDot,
} from './skinny-products.ts';
import { symmetricEigen } from './symmetric-eigen.ts';

export interface LowRank {
  /** [rows, rank] */
  up: Float32Array;
  /** [rank, columns] */
  down: Float32Array;
  rank: number;
}

/** Additional directions, which make the requested ones accurate. */
const OVERSAMPLING = 10;
/** Above this rank the iterations suffice: oversampling would cost more than it gains. */
const LARGE_RANK = 256;
const ITERATIONS = 3;
const SEED = 2011n;

/**
 * Factors of a matrix [rows, columns]: up x down is nearly the nearest product of that rank. At full rank it is exact.
 * Both factors have about the same magnitude, so that half precision stores them well.
 */
export function* lowRank(matrix: Float32Array, rows: number, columns: number, rank: number): Steps<LowRank> {
  const fullRank = Math.min(rows, columns);
  if (rank >= fullRank) return exactFactors(matrix, rows, columns);
  const count = rank > LARGE_RANK ? rank : Math.min(fullRank, rank + OVERSAMPLING);
  const random = new TorchGenerator(SEED).normal([count, columns]).data;
  // Both bases store one vector per row.
  const columnBasis = new Float32Array(count * rows);
  const rowBasis = new Float32Array(count * columns);
  const large = { numbers: matrix, rows, columns };
  yield* multiplyTransposed(large, random, columnBasis);
  yield* orthonormalize(columnBasis, rows);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    yield* multiply(large, columnBasis, rowBasis);
    yield* orthonormalize(rowBasis, columns);
    yield* multiplyTransposed(large, rowBasis, columnBasis);
    yield* orthonormalize(columnBasis, rows);
  }
  yield* multiply(large, columnBasis, rowBasis);
  if (count === rank) return yield* balance(columnBasis, rowBasis, [rows, columns, count]);
  return yield* truncate(columnBasis, rowBasis, [rows, columns, count], rank);
}

/** One factor is the matrix, the other one the identity. */
function exactFactors(matrix: Float32Array, rows: number, columns: number): LowRank {
  const rank = Math.min(rows, columns);
  const identity = new Float32Array(rank * rank);
  for (let i = 0; i < rank; i++) identity[i * rank + i] = 1;
  return rows <= columns ? { up: identity, down: matrix, rank } : { up: matrix, down: identity, rank };
}

/** All directions of columnBasis (transposed) x rowBasis, with equal magnitudes in both factors. */
function* balance(
  columnBasis: Float32Array,
  rowBasis: Float32Array,
  [rows, columns, count]: readonly [number, number, number],
): Steps<LowRank> {
  for (let k = 0; k < count; k++) {
    const root = Math.sqrt(Math.sqrt(vectorDot(rowBasis, k * columns, k * columns, columns)));
    for (let row = 0; row < rows; row++) columnBasis[k * rows + row]! *= root;
    for (let i = 0; i < columns; i++) rowBasis[k * columns + i]! /= root || 1;
    yield;
  }
  return { up: yield* transpose(columnBasis, count, rows), down: rowBasis, rank: count };
}

/** The `rank` strongest directions of columnBasis (transposed) x rowBasis. */
function* truncate(
  columnBasis: Float32Array,
  rowBasis: Float32Array,
  [rows, columns, count]: readonly [number, number, number],
  rank: number,
): Steps<LowRank> {
  // The Gram matrix of the rows. Its eigenvalues are the squares of the singular values.
  const gram = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = i; j < count; j++) {
      const value = vectorDot(rowBasis, i * columns, j * columns, columns);
      gram[i * count + j] = value;
      gram[j * count + i] = value;
    }
    yield;
  }
  const { values, vectors } = yield* symmetricEigen(gram, count);
  const upTransposed = new Float32Array(rank * rows);
  const down = new Float32Array(rank * columns);
  for (let r = 0; r < rank; r++) {
    // The square root of a singular value goes into each factor.
    const root = Math.max(values[r]!, 0) ** 0.25;
    for (let k = 0; k < count; k++) {
      const weight = vectors[r * count + k]!;
      addScaledVector(upTransposed, r * rows, weight * root, columnBasis, k * rows, rows);
      if (root > 0) addScaledVector(down, r * columns, weight / root, rowBasis, k * columns, columns);
    }
    yield;
  }
  return { up: yield* transpose(upTransposed, rank, rows), down, rank };
}

/** [rows, columns] -> [columns, rows] */
export function* transpose(numbers: Float32Array, rows: number, columns: number): Steps<Float32Array> {
  const result = new Float32Array(numbers.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      result[column * rows + row] = numbers[row * columns + column]!;
    yield;
  }
  return result;
}
