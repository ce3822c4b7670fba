/** Shapes of an image that the form offers, from wide to high. */
export const ASPECT_RATIOS = [
  { name: '16:9', ratio: 16 / 9 },
  { name: '3:2', ratio: 3 / 2 },
  { name: '1:1', ratio: 1 },
  { name: '2:3', ratio: 2 / 3 },
  { name: '9:16', ratio: 9 / 16 },
] as const;

export interface ImageSize {
  /** Pixels. */
  width: number;
  height: number;
}

/** Sides of large images are multiples of this many pixels, which suits every network. */
const STEP = 64;
const SMALL_STEP = 16;
const SMALL_SIDE = 256;

/** A size of this shape with about the same number of pixels, since a model is trained for an area. */
export function withRatio({ width, height }: ImageSize, ratio: number): ImageSize {
  const side = Math.sqrt(width * height);
  const step = side < SMALL_SIDE ? SMALL_STEP : STEP;
  const rounded = (length: number) => Math.max(step, Math.round(length / step) * step);
  return { width: rounded(side * Math.sqrt(ratio)), height: rounded(side / Math.sqrt(ratio)) };
}

/** The offered shape that a size has, within the rounding of its sides. */
export function ratioOf({ width, height }: ImageSize): string | undefined {
  return ASPECT_RATIOS.find(({ ratio }) => Math.abs(width / height / ratio - 1) < 0.08)?.name;
}
