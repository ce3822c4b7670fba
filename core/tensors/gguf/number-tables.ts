/** Tables of numbers of GGUF's formats, by the few bits that name one. The numbers are those of llama.cpp (MIT). */

const NIBBLES = Array.from({ length: 16 }, (_, at) => at);
const BYTES = Array.from({ length: 256 }, (_, byte) => byte);

/** The numbers of IQ4_NL and IQ4_XS. */
export const IQ4_NUMBERS: readonly number[] = [
  -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
];

/** Twice the floats of 4 bits with 2 bits of exponent: OCP, "Microscaling formats (MX) specification", 2023, 5.3.3. */
export const FLOAT4_NUMBERS: readonly number[] = NIBBLES.map((bits) => {
  const [exponent, fraction] = [(bits >> 1) & 3, bits & 1];
  const size = exponent ? (2 + fraction) * 2 ** (exponent - 1) : fraction;
  return bits & 8 ? -size : size;
});

/** Half of the scales of MXFP4, which are powers of two. The float of 4 bits is doubled. */
export const MXFP4_SCALES: readonly number[] = BYTES.map((byte) => 2 ** (byte - 128));

/** Half of the scales of NVFP4: floats with 4 bits of exponent and 3 of fraction, without a sign. */
export const NVFP4_SCALES: readonly number[] = BYTES.map((byte) => {
  const [exponent, fraction] = [(byte >> 3) & 15, byte & 7];
  if (byte === 0x7f) return 0;
  return (exponent ? (8 + fraction) * 2 ** (exponent - 10) : fraction * 2 ** -9) / 2;
});

/** The numbers -1, 0, 1 of TQ1_0: digit `n` of each byte, the byte being a fraction to the base 3. */
export const ternaryDigit = (byte: number, n: number): number => ((((byte * 3 ** n) & 255) * 3) >> 8) - 1;
