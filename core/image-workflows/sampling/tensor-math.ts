import type { FloatTensor } from '../values/tensor.ts';

export type Term = readonly [coefficient: number, tensor: FloatTensor];

export function sameShape(a: FloatTensor, b: FloatTensor): boolean {
  return a.shape.length === b.shape.length && a.shape.every((side, index) => side === b.shape[index]);
}

/**
 * The linear combination of tensors of one shape, as a new tensor. Every solver step is one, so this is the hot loop of
 * sampling. Each number of terms has a loop of its own, which then runs at memory speed.
 */
export function combine(...terms: readonly Term[]): FloatTensor {
  const [first, second, third, fourth] = terms;
  if (!first) throw new Error('a linear combination needs at least one tensor');
  const { shape, data: a } = first[1];
  for (const [, tensor] of terms) {
    if (tensor.data.length !== a.length)
      throw new Error(`tensors of the shapes ${shape} and ${tensor.shape} cannot be combined`);
  }
  const out = new Float32Array(a.length);
  const ca = first[0];
  if (!second) {
    for (let i = 0; i < out.length; i++) out[i] = ca * a[i]!;
    return { shape, data: out };
  }
  const [cb, { data: b }] = second;
  if (!third) {
    for (let i = 0; i < out.length; i++) out[i] = ca * a[i]! + cb * b[i]!;
    return { shape, data: out };
  }
  const [cc, { data: c }] = third;
  if (!fourth) {
    for (let i = 0; i < out.length; i++) out[i] = ca * a[i]! + cb * b[i]! + cc * c[i]!;
    return { shape, data: out };
  }
  const [cd, { data: d }] = fourth;
  for (let i = 0; i < out.length; i++) out[i] = ca * a[i]! + cb * b[i]! + cc * c[i]! + cd * d[i]!;
  if (terms.length === 4) return { shape, data: out };
  return combine([1, { shape, data: out }], ...terms.slice(4));
}

/** Applies `f` to each element of `a`, and to the element of `b` at the same index. The result is a new tensor. */
export function map(f: (a: number, b: number) => number, a: FloatTensor, b: FloatTensor = a): FloatTensor {
  const out = new Float32Array(a.data.length);
  for (let i = 0; i < out.length; i++) out[i] = f(a.data[i]!, b.data[i]!);
  return { shape: a.shape, data: out };
}
