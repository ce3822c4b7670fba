/** Transfer functions: from the numbers of an encoded image to scene-linear light, where 1 is the white of the scene. */

/** Inverse of the sRGB transfer function (IEC 61966-2-1). Negative numbers keep their sign. */
export function linearFromSrgb(value: number): number {
  const size = Math.abs(value);
  return Math.sign(value) * (size <= 0.04045 ? size / 12.92 : ((size + 0.055) / 1.055) ** 2.4);
}

const A = 0.17883277;
const B = 1 - 4 * A;
const C = 0.5 - A * Math.log(4 * A);

/** Inverse of the opto-electronic transfer function of hybrid log-gamma (ITU-R BT.2100, table 5). */
export function linearFromHlg(value: number): number {
  const signal = Math.max(0, value);
  return signal <= 0.5 ? (signal * signal) / 3 : (Math.exp((signal - C) / A) + B) / 12;
}

/** The primaries and the white of Rec. 2020: x and y of red, green, blue and white. */
export const REC_2020 = [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329] as const;
