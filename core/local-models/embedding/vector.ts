/** Scales a vector, in place, to length 1 (L2). A vector of zeros stays unchanged. Returns the same array. */
export function normalize(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! / length;
  return vector;
}

/**
 * Returns the first `dimensions` numbers, normalized; the vector itself when it has no more or `dimensions` is not
 * positive.
 */
export function shorten(vector: Float32Array, dimensions: number): Float32Array {
  if (!(dimensions > 0) || dimensions >= vector.length) return vector;
  return normalize(vector.slice(0, dimensions));
}
