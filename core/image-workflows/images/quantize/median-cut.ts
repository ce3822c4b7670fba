/**
 * Palettes by median cut (Heckbert, "Color Image Quantization for Frame Buffer Display", 1982). The box of colors with
 * the most pixels is cut at the median of its longest side, until there are enough boxes. The length of a side is
 * weighted by brightness. Each box yields its mean color. Palettes and ties equal those of Pillow.
 */

/** The colors of images with more than these are coarsened before the first cut. */
const MAX_COLORS = 65536;
/** Weights of red, green and blue. */
const BRIGHTNESS = [77, 150, 29] as const;

interface Box {
  /** Indices into the histogram's colors. */
  colors: Uint32Array;
  pixels: number;
  children?: [Box, Box];
}

interface Histogram {
  /** 0xRRGGBB, with each channel shifted right by `shift`. */
  colors: Uint32Array;
  counts: Uint32Array;
  shift: number;
}

/** At most `size` palette entries [r, g, b] for pixels of three bytes. */
export function medianCut(rgb: Uint8Array, size: number): number[][] {
  const histogram = count(rgb);
  const { colors, counts, shift } = histogram;
  const root: Box = { colors: Uint32Array.from(colors.keys()), pixels: rgb.length / 3 };
  const heap = new LargestFirst();
  heap.add(root);
  for (let boxes = 1; boxes < size; boxes++) {
    let box = heap.take();
    while (box && box.colors.length === 1) box = heap.take();
    if (!box) break;
    box.children = cut(box, colors, counts);
    heap.add(box.children[0]);
    heap.add(box.children[1]);
  }
  const leaves = leavesOf(root);
  const leafOf = new Map<number, number>();
  for (const [leaf, box] of leaves.entries())
    for (const color of box.colors) leafOf.set(colors[color]!, leaf);
  return meanColors(rgb, leaves.length, (at) => leafOf.get(shifted(rgb, at, shift))!);
}

/** The boxes that were not cut, brighter half first. */
const leavesOf = (box: Box): Box[] => box.children?.flatMap(leavesOf) ?? [box];

/** The rounded mean color of the pixels of each leaf. `leafAt` returns the leaf of the pixel at an offset in `rgb`. */
function meanColors(rgb: Uint8Array, leaves: number, leafAt: (at: number) => number): number[][] {
  const sums = Array.from({ length: leaves }, () => [0, 0, 0, 0]);
  for (let at = 0; at < rgb.length; at += 3) {
    const sum = sums[leafAt(at)]!;
    for (let channel = 0; channel < 3; channel++) sum[channel] = sum[channel]! + rgb[at + channel]!;
    sum[3] = sum[3]! + 1;
  }
  return sums.map(([red, green, blue, pixels]) =>
    [red, green, blue].map((sum) => Math.trunc(0.5 + sum! / pixels!)),
  );
}

const shifted = (rgb: Uint8Array, at: number, shift: number): number =>
  ((rgb[at]! >> shift) << 16) | ((rgb[at + 1]! >> shift) << 8) | (rgb[at + 2]! >> shift);

function count(rgb: Uint8Array): Histogram {
  for (let shift = 0; ; shift++) {
    const counts = new Map<number, number>();
    for (let at = 0; at < rgb.length && counts.size <= MAX_COLORS; at += 3) {
      const color = shifted(rgb, at, shift);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    if (counts.size <= MAX_COLORS)
      return { colors: Uint32Array.from(counts.keys()), counts: Uint32Array.from(counts.values()), shift };
  }
}

/** Cuts a box in two, brighter half first. Colors with the same value on the axis stay together. */
function cut(box: Box, colors: Uint32Array, counts: Uint32Array): [Box, Box] {
  const axis = longestAxis(box, colors);
  const bits = 16 - 8 * axis;
  const histogram = new Float64Array(256);
  for (const color of box.colors) {
    const value = (colors[color]! >> bits) & 255;
    histogram[value] = histogram[value]! + counts[color]!;
  }
  let value = 255;
  let above = 0;
  for (; value >= 0; value--) {
    above += histogram[value]!;
    if (above * 2 > box.pixels) break;
  }
  let lowest = 0;
  while (histogram[lowest] === 0) lowest++;
  // A threshold at the lowest value would leave the darker half empty.
  const threshold = value <= lowest ? lowest + 1 : value;
  const bright: Box = {
    colors: box.colors.filter((color) => ((colors[color]! >> bits) & 255) >= threshold),
    pixels: 0,
  };
  const dark: Box = {
    colors: box.colors.filter((color) => ((colors[color]! >> bits) & 255) < threshold),
    pixels: 0,
  };
  for (const half of [bright, dark])
    half.pixels = half.colors.reduce((sum, color) => sum + counts[color]!, 0);
  return [bright, dark];
}

function longestAxis(box: Box, colors: Uint32Array): number {
  const low = [255, 255, 255];
  const high = [0, 0, 0];
  for (const color of box.colors)
    for (let axis = 0; axis < 3; axis++) {
      const value = (colors[color]! >> (16 - 8 * axis)) & 255;
      if (value < low[axis]!) low[axis] = value;
      if (value > high[axis]!) high[axis] = value;
    }
  const lengths = BRIGHTNESS.map((weight, axis) => weight * (high[axis]! - low[axis]!));
  return lengths.indexOf(Math.max(...lengths));
}

/** A binary heap. The order of equal boxes decides the palette, so its steps must stay as they are. */
class LargestFirst {
  readonly #boxes: Box[] = [];

  add(box: Box): void {
    let slot = this.#boxes.length;
    this.#boxes.push(box);
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      if (box.pixels <= this.#boxes[parent]!.pixels) break;
      this.#boxes[slot] = this.#boxes[parent]!;
      slot = parent;
    }
    this.#boxes[slot] = box;
  }

  take(): Box | undefined {
    const first = this.#boxes[0];
    const last = this.#boxes.pop();
    if (!last || this.#boxes.length === 0) return first;
    let slot = 0;
    for (let child = 1; child < this.#boxes.length; child = 2 * slot + 1) {
      const right = this.#boxes[child + 1];
      if (right && right.pixels > this.#boxes[child]!.pixels) child++;
      if (last.pixels > this.#boxes[child]!.pixels) break;
      this.#boxes[slot] = this.#boxes[child]!;
      slot = child;
    }
    this.#boxes[slot] = last;
    return first;
  }
}
