/**
 * The best product of two thin matrices for a large one, nearly: a randomized singular value decomposition with power
 * iterations (Halko, Martinsson, Tropp, "Finding structure with randomness", 2011, algorithms 4.4 and 5.1).
 */

import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { Steps } from '../../yielding/steps.ts';
import { addScaledVector, dot, multiply, multiplyTransposed, orthonormalize } from './skinny-products.ts';
import { symmetricEigen } from './symmetric-eigen.ts';

export interface LowRank {
  /** [rows, rank] */
  up: Float32Array;
  /** [rank, columns] */
  down: Float32Array;
  rank: number;
}

/** Directions beyond those that are wanted, which make the wanted ones exact. */
const BEYOND = 10;
/** Above this rank the iterations alone do: what is taken beyond costs more than it gives. */
const LARGE = 256;
const ITERATIONS = 3;
const SEED = 2011n;

/**
 * `matrix`: [rows, columns]. up x down is nearest to it among products of `rank` or less; at its full rank it is the matrix.
 * Both factors are of one size, so that halves hold them well.
 */
export function* lowRank(
  matrix: Float32Array,
  rows: number,
  columns: number,
  wanted: number,
): Steps<LowRank> {
  const full = Math.min(rows, columns);
  if (wanted >= full) return exactly(matrix, rows, columns);
  const count = wanted > LARGE ? wanted : Math.min(full, wanted + BEYOND);
  const across = new TorchGenerator(SEED).normal([count, columns]).data;
  const along = new Float32Array(count * rows);
  const both = new Float32Array(count * columns);
  const whole = { numbers: matrix, rows, columns };
  yield* multiplyTransposed(whole, across, along);
  yield* orthonormalize(along, rows);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    yield* multiply(whole, along, both);
    yield* orthonormalize(both, columns);
    yield* multiplyTransposed(whole, both, along);
    yield* orthonormalize(along, rows);
  }
  yield* multiply(whole, along, both);
  if (count === wanted) return yield* evened(along, both, [rows, columns, count]);
  return yield* truncated(along, both, [rows, columns, count], wanted);
}

/** One factor is the matrix, the other one the identity. */
function exactly(matrix: Float32Array, rows: number, columns: number): LowRank {
  const rank = Math.min(rows, columns);
  const identity = new Float32Array(rank * rank);
  for (let i = 0; i < rank; i++) identity[i * rank + i] = 1;
  return rows <= columns ? { up: identity, down: matrix, rank } : { up: matrix, down: identity, rank };
}

/** All directions of along (transposed) x both, with half of its strength on each side. */
function* evened(
  along: Float32Array,
  both: Float32Array,
  [rows, columns, count]: readonly [number, number, number],
): Steps<LowRank> {
  for (let one = 0; one < count; one++) {
    const root = Math.sqrt(Math.sqrt(dot(both, one * columns, one * columns, columns)));
    for (let row = 0; row < rows; row++) along[one * rows + row]! *= root;
    for (let i = 0; i < columns; i++) both[one * columns + i]! /= root || 1;
    yield;
  }
  return { up: yield* transpose(along, count, rows), down: both, rank: count };
}

/** The strongest `rank` directions of along (transposed) x both. */
function* truncated(
  along: Float32Array,
  both: Float32Array,
  [rows, columns, count]: readonly [number, number, number],
  rank: number,
): Steps<LowRank> {
  const squares = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = i; j < count; j++) {
      const value = dot(both, i * columns, j * columns, columns);
      squares[i * count + j] = value;
      squares[j * count + i] = value;
    }
    yield;
  }
  const { values, vectors } = yield* symmetricEigen(squares, count);
  // With its columns one after another, until the end.
  const columnsOfUp = new Float32Array(rank * rows);
  const down = new Float32Array(rank * columns);
  for (let r = 0; r < rank; r++) {
    // Half of a singular value goes to each side.
    const root = Math.max(values[r]!, 0) ** 0.25;
    for (let one = 0; one < count; one++) {
      const share = vectors[r * count + one]!;
      addScaledVector(columnsOfUp, r * rows, share * root, along, one * rows, rows);
      if (root > 0) addScaledVector(down, r * columns, share / root, both, one * columns, columns);
    }
    yield;
  }
  return { up: yield* transpose(columnsOfUp, rank, rows), down, rank };
}

/** [rows, columns] -> [columns, rows] */
export function* transpose(numbers: Float32Array, rows: number, columns: number): Steps<Float32Array> {
  const made = new Float32Array(numbers.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      made[column * rows + row] = numbers[row * columns + column]!;
    yield;
  }
  return made;
}
