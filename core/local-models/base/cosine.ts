/** The cosine of the angle between two vectors of equal length. NaN where one of them has no length. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    product += a[at]! * b[at]!;
    squaresA += a[at]! ** 2;
    squaresB += b[at]! ** 2;
  }
  return product / Math.sqrt(squaresA * squaresB);
}
