import { runToEnd, type Steps } from '../../yielding/steps.ts';
import { crop } from '../operations/geometry.ts';
import type { Raster } from '../rasters.ts';
import { roundHalfEven } from '../rounding.ts';
import { resizeBislerp } from './bislerp.ts';
import { resizeLanczos } from './lanczos.ts';
import { resizeSeparable } from './separable.ts';

export const IMAGE_METHODS = ['nearest-exact', 'bilinear', 'area', 'bicubic', 'lanczos'] as const;
export const LATENT_METHODS = ['nearest-exact', 'bilinear', 'area', 'bicubic', 'bislerp'] as const;
export const CROPS = ['disabled', 'center'] as const;
export type ResizeMethod = (typeof IMAGE_METHODS)[number] | (typeof LATENT_METHODS)[number];

/** Resizes without yielding. Use `resizeSteps` for images that may be large. */
export const resize = (...values: Parameters<typeof resizeSteps>): Raster => runToEnd(resizeSteps(...values));

/**
 * Resizes to `width` x `height` pixels. `center` first crops to the new aspect ratio, `disabled` stretches. Throws a
 * `RangeError` for sizes below 1 or beyond the memory, and for an unknown method.
 */
export function* resizeSteps(
  raster: Raster,
  width: number,
  height: number,
  method: ResizeMethod,
  cropping: (typeof CROPS)[number] = 'disabled',
): Steps<Raster> {
  if (!(width >= 1 && height >= 1))
    throw new RangeError(
      `an image cannot be resized to ${width} x ${height}: both sides need at least one pixel`,
    );
  const source = cropping === 'center' ? cropToAspect(raster, width / height) : raster;
  switch (method) {
    case 'nearest-exact':
    case 'bilinear':
    case 'area':
    case 'bicubic':
      return yield* resizeSeparable(source, width, height, method);
    case 'lanczos':
      return yield* resizeLanczos(source, width, height);
    case 'bislerp':
      return resizeBislerp(source, width, height);
    default:
      throw new RangeError(`there is no resize method called '${method}': use ${IMAGE_METHODS.join(', ')}`);
  }
}

/** Crops around the center to an aspect ratio (width / height). */
function cropToAspect(raster: Raster, aspect: number): Raster {
  const old = raster.width / raster.height;
  const x = old > aspect ? roundHalfEven((raster.width - raster.width * (aspect / old)) / 2) : 0;
  const y = old < aspect ? roundHalfEven((raster.height - raster.height * (old / aspect)) / 2) : 0;
  if (x === 0 && y === 0) return raster;
  return crop(raster, x, y, Math.max(1, raster.width - 2 * x), Math.max(1, raster.height - 2 * y));
}
