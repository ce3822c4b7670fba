/** In place, to length 1; a vector of zeros stays as it is. */
export function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! / length;
  return vector;
}

/** The first `dimensions` numbers, normalised again; the vector itself when that is no shorter length. */
export function cut(vector: Float32Array, dimensions: number): Float32Array {
  if (!(dimensions > 0) || dimensions >= vector.length) return vector;
  return normalise(vector.slice(0, dimensions));
}
