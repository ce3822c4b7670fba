import { crop } from '../../images/operations/geometry.ts';
import type { Raster } from '../../images/rasters.ts';

/**
 * Crops images around their center to sides that are multiples of `unit`.
 *
 * @throws RangeError for images smaller than `unit`.
 */
export function cropToMultiple(raster: Raster, unit: number): Raster {
  const width = Math.floor(raster.width / unit) * unit;
  const height = Math.floor(raster.height / unit) * unit;
  if (width === raster.width && height === raster.height) return raster;
  if (width === 0 || height === 0)
    throw new RangeError(
      `an image of ${raster.width} x ${raster.height} is too small for this model: ${unit} x ${unit} at least`,
    );
  const [x, y] = [Math.floor((raster.width % unit) / 2), Math.floor((raster.height % unit) / 2)];
  return crop(raster, x, y, width, height);
}
