/** Compositing operators by Porter and Duff ("Compositing Digital Images", 1984) and others, on straight alpha. */
import { emptyRaster, type Raster } from '../rasters.ts';
import { clamp01 } from '../rounding.ts';

/** Alpha and premultiplied color of the result, for premultiplied colors s (source), d (destination) and their alphas a, b. */
interface Operator {
  alpha(a: number, b: number): number;
  color(s: number, d: number, a: number, b: number): number;
}
const union = (a: number, b: number): number => a + b - a * b;

const OPERATORS = {
  ADD: { alpha: (a, b) => clamp01(a + b), color: (s, d) => clamp01(s + d) },
  CLEAR: { alpha: () => 0, color: () => 0 },
  DARKEN: { alpha: union, color: (s, d, a, b) => (1 - b) * s + (1 - a) * d + Math.min(s, d) },
  DST: { alpha: (_a, b) => b, color: (_s, d) => d },
  DST_ATOP: { alpha: (a) => a, color: (s, d, a, b) => a * d + (1 - b) * s },
  DST_IN: { alpha: (a, b) => a * b, color: (_s, d, a) => d * a },
  DST_OUT: { alpha: (a, b) => (1 - a) * b, color: (_s, d, a) => (1 - a) * d },
  DST_OVER: { alpha: union, color: (s, d, _a, b) => d + (1 - b) * s },
  LIGHTEN: { alpha: union, color: (s, d, a, b) => (1 - b) * s + (1 - a) * d + Math.max(s, d) },
  MULTIPLY: { alpha: (a, b) => a * b, color: (s, d) => s * d },
  OVERLAY: {
    alpha: union,
    color: (s, d, a, b) => (2 * d < b ? 2 * s * d : a * b - 2 * (b - s) * (a - d)),
  },
  SCREEN: { alpha: union, color: (s, d) => s + d - s * d },
  SRC: { alpha: (a) => a, color: (s) => s },
  SRC_ATOP: { alpha: (_a, b) => b, color: (s, d, a, b) => b * s + (1 - a) * d },
  SRC_IN: { alpha: (a, b) => a * b, color: (s, _d, _a, b) => s * b },
  SRC_OUT: { alpha: (a, b) => (1 - b) * a, color: (s, _d, _a, b) => (1 - b) * s },
  SRC_OVER: { alpha: union, color: (s, d, a) => s + (1 - a) * d },
  XOR: {
    alpha: (a, b) => (1 - b) * a + (1 - a) * b,
    color: (s, d, a, b) => (1 - b) * s + (1 - a) * d,
  },
} satisfies Record<string, Operator>;

export type PorterDuffMode = keyof typeof OPERATORS;
export const PORTER_DUFF_MODES = Object.keys(OPERATORS) as PorterDuffMode[];

/**
 * Composites two images of the same size and batch. Alphas are 1 where opaque. Fully transparent pixels get color 0.
 * Throws a `RangeError` for an unknown mode.
 */
export function porterDuff(
  source: Raster,
  sourceAlpha: Raster,
  destination: Raster,
  destinationAlpha: Raster,
  mode: PorterDuffMode,
): { image: Raster; alpha: Raster } {
  const operator: Operator | undefined = OPERATORS[mode];
  if (!operator)
    throw new RangeError(`there is no mode called '${mode}': use ${PORTER_DUFF_MODES.join(', ')}`);
  const { batch, height, width, channels } = destination;
  const image = emptyRaster(batch, height, width, channels);
  const alpha = emptyRaster(batch, height, width, 1);
  for (let pixel = 0; pixel < alpha.data.length; pixel++) {
    const a = sourceAlpha.data[pixel]!;
    const b = destinationAlpha.data[pixel]!;
    const opacity = operator.alpha(a, b);
    alpha.data[pixel] = opacity;
    for (let at = pixel * channels; at < (pixel + 1) * channels; at++) {
      const color = operator.color(source.data[at]! * a, destination.data[at]! * b, a, b);
      image.data[at] = opacity > 1e-5 ? clamp01(color / opacity) : 0;
    }
  }
  return { image, alpha };
}
