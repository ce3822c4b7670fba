/** Layers of language networks written down as their papers state them, in 64-bit floats: slow, and independent. */
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';

export type Vectors = number[][];
export type Weights = Readonly<Record<string, FloatTensor>>;

export const rowsOf = ({ shape: [rows = 0, width = 0], data }: FloatTensor): Vectors =>
  Array.from({ length: rows }, (_, row) => [...data.subarray(row * width, (row + 1) * width)]);

export const added = (a: Vectors, b: Vectors): Vectors =>
  a.map((row, at) => row.map((value, i) => value + b[at]![i]!));

/** Each vector times the matrix `name.weight`, plus `name.bias` if it is stored. */
export function projected(weights: Weights, name: string, x: Vectors): Vectors {
  const matrix = rowsOf(weights[`${name}.weight`]!);
  const bias = weights[`${name}.bias`]?.data;
  return x.map((vector) =>
    matrix.map((row, at) => row.reduce((sum, value, i) => sum + value * vector[i]!, bias?.[at] ?? 0)),
  );
}

export function rmsNormed(
  weights: Weights,
  name: string,
  x: Vectors,
  { offset = 0, epsilon = 1e-6 } = {},
): Vectors {
  const scale = weights[`${name}.weight`]!.data;
  return x.map((vector) => {
    const mean = vector.reduce((sum, value) => sum + value ** 2, 0) / vector.length;
    return vector.map((value, i) => (value / Math.sqrt(mean + epsilon)) * (scale[i]! + offset));
  });
}

export const tanhGelu = (x: number): number =>
  (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2;
export const silu = (x: number): number => x / (1 + Math.exp(-x));

/** The columns of head `head`. */
export const headOf = (x: Vectors, head: number, width: number): Vectors =>
  x.map((vector) => vector.slice(head * width, (head + 1) * width));

/** Mixes the values by the softmax of the scores. @param score of a query and a key, by their numbers */
export function attended(
  [query, key, value]: readonly [Vectors, Vectors, Vectors],
  score: (product: number, query: number, key: number) => number,
): Vectors {
  return query.map((vector, q) => {
    const scores = key.map((other, k) =>
      score(
        vector.reduce((sum, x, i) => sum + x * other[i]!, 0),
        q,
        k,
      ),
    );
    const highest = Math.max(...scores);
    const shares = scores.map((each) => Math.exp(each - highest));
    const total = shares.reduce((sum, share) => sum + share, 0);
    return value[0]!.map((_, i) => shares.reduce((sum, share, k) => sum + share * value[k]![i]!, 0) / total);
  });
}
