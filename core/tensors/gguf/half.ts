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
