import type { Pixels } from '#core/image-codecs/pixels.ts';

/** Pixels with varied bytes. `seed` changes all of them. */
export function patternPixels(width: number, height: number, channels: 3 | 4, seed = 0): Pixels {
  const data = Uint8Array.from(
    { length: width * height * channels },
    (_, at) => (at * 37 + (at >> 3) * 11 + seed) & 255,
  );
  return { width, height, channels, data };
}
