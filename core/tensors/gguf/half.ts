/** The number of a 16-bit float (IEEE 754 binary16). */
export function halfFloat(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

export const halfAt = (view: DataView, at: number): number => halfFloat(view.getUint16(at, true));

let numbers: Float32Array | undefined;

/**
 * 16-bit floats, little endian, as numbers. A table is faster than a conversion, and models have billions of elements.
 * @throws RangeError for half a number at the end
 */
export function halfFloats(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  numbers ??= Float32Array.from({ length: 0x10000 }, (_, bits) => halfFloat(bits));
  const floats = new Float32Array(bytes.length / 2);
  for (let at = 0; at < floats.length; at++)
    floats[at] = numbers[bytes[2 * at]! | (bytes[2 * at + 1]! << 8)]!;
  return floats;
}

/** Numbers of type BF16, little endian: each is the upper half of a 32-bit float. A half at the end is left out. */
export function bfloats(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const numbers = new Float32Array(Math.floor(bytes.length / 2));
  const bits = new Uint32Array(numbers.buffer);
  for (let at = 0; at < bits.length; at++) bits[at] = (bytes[2 * at]! << 16) | (bytes[2 * at + 1]! << 24);
  return numbers;
}

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
