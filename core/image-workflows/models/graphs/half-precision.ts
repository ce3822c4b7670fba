/** Numbers of half precision, as their 16 bits. */

const scratch = new Float32Array(1);
const bits = new Uint32Array(scratch.buffer);

/** The 16 bits of the nearest half-precision number; ties to even. */
export function toHalf(value: number): number {
  scratch[0] = value;
  const whole = bits[0]!;
  const sign = (whole >>> 16) & 0x8000;
  const exponent = ((whole >>> 23) & 0xff) - 112;
  const fraction = whole & 0x7fffff;
  if (exponent >= 31) return sign | 0x7c00 | (exponent === 143 && fraction ? 0x200 : 0);
  if (exponent <= 0) {
    if (exponent < -10) return sign;
    return sign | rounded(fraction | 0x800000, 14 - exponent);
  }
  // Rounding up may carry into the exponent, which is right.
  return sign | ((exponent << 10) + rounded(fraction, 13));
}

function rounded(value: number, shift: number): number {
  const kept = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return kept + (rest > half || (rest === half && (kept & 1) === 1) ? 1 : 0);
}

export function fromHalf(stored: number): number {
  const sign = stored & 0x8000 ? -1 : 1;
  const exponent = (stored >> 10) & 0x1f;
  const fraction = stored & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
