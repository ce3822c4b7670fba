/** IEEE 754 half precision (binary16), as the 16 bits of a number. */

const scratch = new Float32Array(1);
const bits = new Uint32Array(scratch.buffer);

/** The bits of the nearest half-precision number. Ties go to the even one, overflow to infinity. */
export function toHalf(value: number): number {
  scratch[0] = value;
  const single = bits[0]!;
  const sign = (single >>> 16) & 0x8000;
  const exponent = ((single >>> 23) & 0xff) - 112;
  const fraction = single & 0x7fffff;
  if (exponent >= 31) return sign | 0x7c00 | (exponent === 143 && fraction ? 0x200 : 0);
  if (exponent <= 0) {
    if (exponent < -10) return sign;
    return sign | shiftRounded(fraction | 0x800000, 14 - exponent);
  }
  // A carry from the fraction into the exponent is correct here.
  return sign | ((exponent << 10) + shiftRounded(fraction, 13));
}

function shiftRounded(value: number, shift: number): number {
  const quotient = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return quotient + (rest > half || (rest === half && (quotient & 1) === 1) ? 1 : 0);
}
