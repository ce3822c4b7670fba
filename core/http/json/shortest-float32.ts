/** The number that prints with the fewest digits that mean the same 32-bit float: 0.00001, not 0.000009999999747378752. */
export function shortestFloat32(value: number): number {
  if (Number.isInteger(value) || Math.fround(value) !== value) return value;
  for (let digits = 6; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}
