import type { Steps } from '../../yielding/steps.ts';

const MAX_SWEEPS = 30;
/** Sweeps end when the norm of the off-diagonal elements falls below this share of the whole norm. */
const PRECISION = 1e-14;

/**
 * Eigenvalues and eigenvectors of a symmetric matrix [size, size], by cyclic Jacobi rotations (Golub and Van Loan,
 * "Matrix computations", section 8.5). Sorted by descending eigenvalue, with one eigenvector per row. Overwrites the
 * matrix.
 */
export function* symmetricEigen(
  matrix: Float64Array,
  size: number,
): Steps<{ values: Float64Array; vectors: Float64Array }> {
  const vectors = new Float64Array(size * size);
  for (let i = 0; i < size; i++) vectors[i * size + i] = 1;
  let squares = 0;
  for (const value of matrix) squares += value * value;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let offDiagonal = 0;
    for (let p = 0; p < size; p++)
      for (let q = p + 1; q < size; q++) offDiagonal += matrix[p * size + q]! ** 2;
    if (offDiagonal <= squares * PRECISION ** 2) break;
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) rotate(matrix, vectors, size, p, q);
      yield;
    }
  }
  const order = Array.from({ length: size }, (_, i) => i).sort(
    (a, b) => matrix[b * size + b]! - matrix[a * size + a]!,
  );
  const sorted = new Float64Array(size * size);
  for (const [index, i] of order.entries())
    sorted.set(vectors.subarray(i * size, (i + 1) * size), index * size);
  return { values: Float64Array.from(order, (i) => matrix[i * size + i]!), vectors: sorted };
}

/** Makes the elements at (p, q) and (q, p) zero. */
function rotate(matrix: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void {
  const offDiagonal = matrix[p * size + q]!;
  if (offDiagonal === 0) return;
  const cotangent = (matrix[q * size + q]! - matrix[p * size + p]!) / (2 * offDiagonal);
  const tangent = (cotangent < 0 ? -1 : 1) / (Math.abs(cotangent) + Math.sqrt(cotangent * cotangent + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  const rotateLines = (numbers: Float64Array, i: number, j: number, stride: number) => {
    for (let k = 0; k < size; k++, i += stride, j += stride) {
      const [a, b] = [numbers[i]!, numbers[j]!];
      numbers[i] = cosine * a - sine * b;
      numbers[j] = sine * a + cosine * b;
    }
  };
  rotateLines(matrix, p * size, q * size, 1);
  rotateLines(matrix, p, q, size);
  rotateLines(vectors, p * size, q * size, 1);
}
