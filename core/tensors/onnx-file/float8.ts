/** 8-bit floats as safetensors files store them (Micikevicius et al., "FP8 formats for deep learning", 2022, table 1). */

interface Format {
  mantissaBits: number;
  exponentBias: number;
  /** Whether the highest exponent means infinity and NaN. Otherwise only the highest number of all is NaN. */
  hasInfinity: boolean;
}

const FORMATS: Readonly<Record<string, Format>> = {
  F8_E4M3: { mantissaBits: 3, exponentBias: 7, hasInfinity: false },
  F8_E5M2: { mantissaBits: 2, exponentBias: 15, hasInfinity: true },
};

export const isFloat8 = (type: string): boolean => Object.hasOwn(FORMATS, type);

/**
 * The numbers of all 256 bytes, in the order of the bytes.
 * @param type `F8_E4M3` or `F8_E5M2`
 */
export function float8Values(type: string): Float32Array<ArrayBuffer> {
  const format = FORMATS[type]!;
  return Float32Array.from({ length: 256 }, (_, byte) => {
    const size = magnitude(byte & 0x7f, format);
    return byte < 128 ? size : -size;
  });
}

function magnitude(bits: number, { mantissaBits, exponentBias, hasInfinity }: Format): number {
  const steps = 2 ** mantissaBits;
  const exponent = bits >> mantissaBits;
  const fraction = (bits & (steps - 1)) / steps;
  const isHighest = bits >> mantissaBits === 127 >> mantissaBits;
  if (hasInfinity && isHighest) return fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  if (!hasInfinity && bits === 127) return Number.NaN;
  // Numbers below the lowest exponent have no leading 1.
  if (exponent === 0) return fraction * 2 ** (1 - exponentBias);
  return (1 + fraction) * 2 ** (exponent - exponentBias);
}
