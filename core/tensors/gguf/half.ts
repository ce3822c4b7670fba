/** The number of a 16-bit float (IEEE 754 binary16). */
export function halfFloat(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

export const halfAt = (view: DataView, at: number): number => halfFloat(view.getUint16(at, true));
