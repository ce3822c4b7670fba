import { expect, test } from 'vitest';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import { runToEnd, runYielding } from '../../yielding/steps.ts';
import { lowRank } from './low-rank.ts';
import { symmetricEigen } from './symmetric-eigen.ts';

/** An element of the discrete cosine transform, whose columns are orthonormal. */
const cosine = (size: number, column: number, row: number) =>
  Math.sqrt((column === 0 ? 1 : 2) / size) * Math.cos((Math.PI * column * (2 * row + 1)) / (2 * size));

/** A matrix with given singular values. */
function matrixOf(rows: number, columns: number, singularValue: (index: number) => number): Float32Array {
  const matrix = new Float32Array(rows * columns);
  for (let k = 0; k < Math.min(rows, columns); k++) {
    const value = singularValue(k);
    if (value === 0) continue;
    for (let row = 0; row < rows; row++) {
      const factor = value * cosine(rows, k, row);
      for (let column = 0; column < columns; column++)
        matrix[row * columns + column]! += factor * cosine(columns, k, column);
    }
  }
  return matrix;
}

/** The Frobenius norm of the difference between a matrix and its approximation. */
function approximationError(matrix: Float32Array, rows: number, columns: number, rank: number): number {
  const { up, down, rank: own } = runToEnd(lowRank(matrix, rows, columns, rank));
  expect([up.length, down.length]).toEqual([rows * own, own * columns]);
  expect(own).toBe(Math.min(rank, rows, columns));
  let sum = 0;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      let value = 0;
      for (let r = 0; r < own; r++) value += up[row * own + r]! * down[r * columns + column]!;
      sum += (matrix[row * columns + column]! - value) ** 2;
    }
  return Math.sqrt(sum);
}

test.each([
  [40, 60, 7],
  [61, 43, 8],
  [33, 90, 1],
])('reproduces a matrix [%i, %i] of rank %i', (rows, columns, rank) => {
  const matrix = matrixOf(rows, columns, (k) => (k < rank ? 1 / (k + 1) : 0));
  expect(approximationError(matrix, rows, columns, rank)).toBeLessThan(1e-5);
});

test.each([4, 16, 48])('the error at rank %i is nearly the smallest possible one', (rank) => {
  // Singular values that fall as slowly as those of differences between trained models.
  const singularValue = (k: number) => (k + 1) ** -0.7;
  const best = Math.sqrt(
    Array.from({ length: 80 - rank }, (_, k) => singularValue(k + rank) ** 2).reduce((a, b) => a + b),
  );
  const found = approximationError(matrixOf(80, 120, singularValue), 80, 120, rank);
  expect(found / best).toBeGreaterThan(0.999);
  expect(found / best).toBeLessThan(1.01);
});

test.each([
  [12, 30],
  [30, 12],
  [1, 9],
])('is exact for a matrix [%i, %i] at full rank', (rows, columns) => {
  expect(approximationError(new TorchGenerator(3n).normal([rows, columns]).data, rows, columns, 64)).toBe(0);
});

test('both factors have the same magnitude', () => {
  const { up, down } = runToEnd(
    lowRank(
      matrixOf(50, 70, (k) => (k < 5 ? 1e-4 : 0)),
      50,
      70,
      4,
    ),
  );
  const length = (numbers: Float32Array) => Math.hypot(...numbers);
  expect(length(up) / length(down)).toBeCloseTo(1, 4);
});

test('large ranks are accurate without oversampling', () => {
  const matrix = matrixOf(300, 320, (k) => (k + 1) ** -0.7);
  let rest = 0;
  for (let k = 270; k < 300; k++) rest += (k + 1) ** -1.4;
  const found = approximationError(matrix, 300, 320, 270) / Math.sqrt(rest);
  expect(found).toBeGreaterThan(0.999);
  expect(found).toBeLessThan(1.2);
});

test('the factors of a zero matrix are zeros', () => {
  const { up, down } = runToEnd(lowRank(new Float32Array(50 * 70), 50, 70, 4));
  expect([...up, ...down].every((value) => value === 0)).toBe(true);
});

test('the computation yields and ends with the signal', async () => {
  const matrix = new TorchGenerator(1n).normal([600, 800]).data;
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('enough')), 5);
  await expect(runYielding(lowRank(matrix, 600, 800, 64), stop.signal)).rejects.toThrow('enough');
});

test('symmetricEigen returns eigenvalues in descending order, with their eigenvectors', () => {
  const size = 12;
  const matrix = new Float64Array(size * size);
  for (let k = 0; k < size; k++)
    for (let row = 0; row < size; row++)
      for (let column = 0; column < size; column++)
        matrix[row * size + column]! += (k + 1) * cosine(size, k, row) * cosine(size, k, column);
  const { values, vectors } = runToEnd(symmetricEigen(matrix, size));
  for (let index = 0; index < size; index++) {
    expect(values[index]).toBeCloseTo(size - index, 10);
    let projection = 0;
    for (let i = 0; i < size; i++)
      projection += vectors[index * size + i]! * cosine(size, size - index - 1, i);
    expect(Math.abs(projection)).toBeCloseTo(1, 10);
  }
});
