/** Conversion of pixels to the entries of a palette, with and without dithering. */

/** Finds the nearest palette entry. Distinguishes colors in steps of four, as Pillow does, and caches the results. */
export class PaletteMap {
  readonly #cache = new Int16Array(64 * 64 * 64).fill(-1);

  constructor(readonly entries: readonly (readonly number[])[]) {}

  nearest(red: number, green: number, blue: number): number {
    const slot = ((red >> 2) << 12) | ((green >> 2) << 6) | (blue >> 2);
    const cached = this.#cache[slot]!;
    if (cached >= 0) return cached;
    const color = [red & ~3, green & ~3, blue & ~3];
    let best = 0;
    let smallest = Number.POSITIVE_INFINITY;
    for (const [index, entry] of this.entries.entries()) {
      const distance =
        (entry[0]! - color[0]!) ** 2 + (entry[1]! - color[1]!) ** 2 + (entry[2]! - color[2]!) ** 2;
      if (distance >= smallest) continue;
      smallest = distance;
      best = index;
    }
    this.#cache[slot] = best;
    return best;
  }
}

/** Replaces each pixel (three bytes) with the nearest palette entry, in place. */
export function mapToPalette(rgb: Uint8Array, map: PaletteMap): void {
  for (let at = 0; at < rgb.length; at += 3)
    rgb.set(map.entries[map.nearest(rgb[at]!, rgb[at + 1]!, rgb[at + 2]!)]!, at);
}

/**
 * Works like `mapToPalette`, and distributes the error of each pixel to its neighbors: 7/16 right, 3/16, 5/16 and 1/16
 * below (Floyd and Steinberg, "An Adaptive Algorithm for Spatial Greyscale", 1976).
 */
export function diffuseToPalette(rgb: Uint8Array, width: number, map: PaletteMap): void {
  const line = width * 3;
  let below = new Int32Array(line);
  for (let start = 0; start < rgb.length; start += line) {
    const carried = below;
    below = new Int32Array(line);
    const right = [0, 0, 0];
    const last = [0, 0, 0];
    for (let at = 0; at < line; at += 3) {
      for (let channel = 0; channel < 3; channel++) {
        const error = Math.trunc((right[channel]! + carried[at + channel]!) / 16);
        rgb[start + at + channel] = Math.min(255, Math.max(0, rgb[start + at + channel]! + error));
      }
      const entry = map.entries[map.nearest(rgb[start + at]!, rgb[start + at + 1]!, rgb[start + at + 2]!)]!;
      for (let channel = 0; channel < 3; channel++) {
        const offset = at + channel;
        const error = rgb[start + offset]! - entry[channel]!;
        rgb[start + offset] = entry[channel]!;
        right[channel] = 7 * error;
        if (at > 0) below[offset - 3] = below[offset - 3]! + 3 * error;
        below[offset] = below[offset]! + 5 * error;
        if (at + 3 < line) below[offset + 3] = below[offset + 3]! + error;
        last[channel] = error;
      }
    }
    // Pillow distributes the error of blue to all channels in the last column. Equal results need the same mistake.
    below.set([below[line - 1]!, last[2]!, last[2]!], line - 3);
  }
}

/** Adds a tile of thresholds to the pixels before `mapToPalette`. `order` is its side, a power of two. */
export function orderToPalette(rgb: Uint8Array, width: number, order: number, map: PaletteMap): void {
  const spread = 512 / map.entries.length;
  const tile = bayer(order).map((row) => row.map((value) => Math.fround(spread * value + 0.5)));
  for (let at = 0; at < rgb.length; at += 3) {
    const pixel = at / 3;
    const offset = tile[Math.floor(pixel / width) % order]![(pixel % width) % order]!;
    for (let channel = at; channel < at + 3; channel++)
      rgb[channel] = Math.trunc(Math.min(255, Math.max(0, rgb[channel]! + offset)));
  }
  mapToPalette(rgb, map);
}

/** Bayer's thresholds ("An optimum method for two-level rendition", 1973), centered at zero. */
function bayer(order: number): number[][] {
  if (order === 1) return [[0]];
  const half = bayer(order / 2);
  const levels = order * order;
  const offsets = [
    [-1.5, 0.5],
    [1.5, -0.5],
  ] as const;
  return Array.from({ length: order }, (_, y) =>
    Array.from({ length: order }, (_, x) => {
      const quarter = offsets[y < order / 2 ? 0 : 1]![x < order / 2 ? 0 : 1]!;
      return half[y % (order / 2)]![x % (order / 2)]! + quarter / levels;
    }),
  );
}
