import { maskRaster, rasterToMask, repeatToBatch } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import type { FloatTensor } from '../../values/tensor.ts';

/** Resizes a mask to [batch, height, width] of a latent. One mask is repeated for the whole batch. */
export function fitMask(mask: FloatTensor, batch: number, height: number, width: number): FloatTensor {
  const raster = maskRaster(mask);
  const sized =
    raster.height === height && raster.width === width ? raster : resize(raster, width, height, 'bilinear');
  return rasterToMask(repeatToBatch(sized, batch));
}
