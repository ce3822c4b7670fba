/**
 * A 32-bit float as the shortest double that rounds to it: 0.00001 instead of 0.000009999999747378752. Numbers that are no
 * 32-bit floats stay as they are. Go prints float32 values this way.
 */
export function shortestFloat32(value: number): number {
  if (Number.isInteger(value) || Math.fround(value) !== value) return value;
  // Nine digits identify every 32-bit float. Six are always correct, except for subnormal numbers, which may need fewer.
  const fewestDigits = Math.abs(value) < 2 ** -126 ? 1 : 6;
  for (let digits = fewestDigits; digits <= 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return value;
}
