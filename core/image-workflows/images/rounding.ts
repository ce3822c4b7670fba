/** Rounding with the results of Python and torch. */

export { roundHalfEven } from '#core/base';

export const clamp01 = (value: number): number => (value < 0 ? 0 : Math.min(value, 1));

/** A channel from 0 to 1 as a byte, rounded down in single precision. NaN becomes 0. */
export const toByte = (value: number): number => {
  const scaled = Math.fround(Math.fround(value) * 255);
  return scaled >= 255 ? 255 : scaled > 0 ? Math.trunc(scaled) : 0;
};

/** Channels from 0 to 1 as bytes. */
export function toBytes(values: Float32Array): Uint8Array {
  // `Uint8Array.from` takes about fifty times as long as this loop.
  const bytes = new Uint8Array(values.length);
  for (let at = 0; at < values.length; at++) bytes[at] = toByte(values[at]!);
  return bytes;
}
