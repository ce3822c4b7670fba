import type { StoredTensor } from '#core/tensors';
import { decodeFloats } from '../../graphs/stored-floats.ts';
import type { MotionDirections } from './face-motions.ts';

/** Added to the diagonal, so that no column is zero. */
const EPSILON = 1e-8;

/**
 * The columns of a matrix as orthogonal directions: Q of its QR decomposition, with the signs of LAPACK. Source:
 * Householder, "Unitary triangularization of a nonsymmetric matrix", 1958.
 * @param matrix [width, motions], row by row
 * @returns [motions, width]
 */
export function orthogonalDirections(
  matrix: ArrayLike<number>,
  [width = 0, motions = 0]: readonly number[],
): MotionDirections {
  const columns = Array.from({ length: motions }, (_, column) =>
    Float64Array.from(
      { length: width },
      (_, row) => matrix[row * motions + column]! + (row === column ? EPSILON : 0),
    ),
  );
  const reflections: Float64Array[] = [];
  for (let at = 0; at < motions; at++) {
    const column = columns[at]!;
    const normal = column.map((value, row) => (row < at ? 0 : value));
    normal[at]! += Math.sign(normal[at]!) * Math.hypot(...normal);
    reflections.push(normal);
    for (const each of columns.slice(at)) reflect(each, normal);
  }
  const data = new Float32Array(motions * width);
  for (let at = 0; at < motions; at++) {
    const direction = new Float64Array(width);
    direction[at] = 1;
    for (const normal of reflections.toReversed()) reflect(direction, normal);
    data.set(direction, at * width);
  }
  return { shape: [motions, width], data };
}

/** x - 2 n (n · x) / (n · n) */
function reflect(x: Float64Array, normal: Float64Array): void {
  const dot = (other: Float64Array) => normal.reduce((sum, value, row) => sum + value * other[row]!, 0);
  const factor = (2 * dot(x)) / dot(normal);
  for (const [row, value] of normal.entries()) x[row]! -= factor * value;
}

/** The directions of a file. Rejects as reading the file does. */
export async function readDirections(
  tensor: StoredTensor,
  read: (tensor: StoredTensor) => Promise<Uint8Array>,
): Promise<MotionDirections> {
  return orthogonalDirections(decodeFloats(await read(tensor), tensor.type), tensor.shape);
}
