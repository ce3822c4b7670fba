import type { Steps } from '../../yielding/steps.ts';

const MOST_SWEEPS = 30;
const PRECISION = 1e-14;

/**
 * Eigenvalues, the largest first, and the vectors, one after another, of a symmetric matrix [size, size], which is used up: by
 * Jacobi's rotations (Golub and Van Loan, "Matrix computations", section 8.5).
 */
export function* symmetricEigen(
  matrix: Float64Array,
  size: number,
): Steps<{ values: Float64Array; vectors: Float64Array }> {
  const vectors = new Float64Array(size * size);
  for (let i = 0; i < size; i++) vectors[i * size + i] = 1;
  let all = 0;
  for (const value of matrix) all += value * value;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let left = 0;
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) left += matrix[p * size + q]! ** 2;
    if (left <= all * PRECISION ** 2) break;
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) rotate(matrix, vectors, size, p, q);
      yield;
    }
  }
  const order = Array.from({ length: size }, (_, i) => i).sort(
    (a, b) => matrix[b * size + b]! - matrix[a * size + a]!,
  );
  const sorted = new Float64Array(size * size);
  for (const [place, i] of order.entries())
    sorted.set(vectors.subarray(i * size, (i + 1) * size), place * size);
  return { values: Float64Array.from(order, (i) => matrix[i * size + i]!), vectors: sorted };
}

/** Makes the numbers at (p, q) and (q, p) zero. `vectors` has a vector a row. */
function rotate(matrix: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void {
  const between = matrix[p * size + q]!;
  if (between === 0) return;
  const slope = (matrix[q * size + q]! - matrix[p * size + p]!) / (2 * between);
  const tangent = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.sqrt(slope * slope + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  const turn = (numbers: Float64Array, one: number, other: number, stride: number) => {
    for (let i = 0; i < size; i++, one += stride, other += stride) {
      const [a, b] = [numbers[one]!, numbers[other]!];
      numbers[one] = cosine * a - sine * b;
      numbers[other] = sine * a + cosine * b;
    }
  };
  turn(matrix, p * size, q * size, 1);
  turn(matrix, p, q, size);
  turn(vectors, p * size, q * size, 1);
}
