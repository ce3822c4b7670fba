import { emptyRaster, type Raster, repeatToBatch, withChannels } from '../rasters.ts';
import { resize } from '../resize/resize.ts';
import { clamp01 } from '../rounding.ts';

export const BLEND_MODES = ['normal', 'multiply', 'screen', 'overlay', 'soft_light', 'difference'] as const;
export type BlendMode = (typeof BLEND_MODES)[number];

const FORMULAS: Record<BlendMode, (below: number, above: number) => number> = {
  normal: (_below, above) => above,
  multiply: (below, above) => below * above,
  screen: (below, above) => 1 - (1 - below) * (1 - above),
  overlay: (below, above) => (below <= 0.5 ? 2 * below * above : 1 - 2 * (1 - below) * (1 - above)),
  // W3C Compositing and Blending, section 10.1.9
  soft_light: (below, above) =>
    above <= 0.5
      ? below - (1 - 2 * above) * below * (1 - below)
      : below + (2 * above - 1) * (softened(below) - below),
  difference: (below, above) => below - above,
};
const softened = (x: number): number => (x <= 0.25 ? ((16 * x - 12) * x + 4) * x : Math.sqrt(x));

/**
 * Blends `above` into `below`, clamped to 0..1. `above` gets the size, channels and batch of `below` first.
 * @param share Weight of the blended result, 0 to 1.
 */
export function blend(below: Raster, above: Raster, share: number, mode: BlendMode): Raster {
  const formula = FORMULAS[mode];
  if (!formula)
    throw new RangeError(`there is no blend mode called '${mode}': use ${BLEND_MODES.join(', ')}`);
  const [first, second] = matchRasters(below, above, 'bicubic');
  const result = emptyRaster(first.batch, first.height, first.width, first.channels);
  for (let at = 0; at < result.data.length; at++) {
    const old = first.data[at]!;
    result.data[at] = clamp01(old * (1 - share) + formula(old, second.data[at]!) * share);
  }
  return result;
}

/**
 * Returns both rasters with the size and channels of `first`, and with the larger of the two batches. A missing alpha
 * channel becomes opaque.
 */
export function matchRasters(
  first: Raster,
  second: Raster,
  method: 'bicubic' | 'bilinear',
): [Raster, Raster] {
  let fitted = withChannels(second, first.channels);
  if (fitted.width !== first.width || fitted.height !== first.height)
    fitted = resize(fitted, first.width, first.height, method, 'center');
  const batch = Math.max(first.batch, fitted.batch);
  return [repeatToBatch(first, batch), repeatToBatch(fitted, batch)];
}
