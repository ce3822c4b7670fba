import { imageRaster, rasterToPlanes, repeatToBatch, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { CELL_SIDE } from '../../values/latent.ts';
import type { FloatTensor } from '../../values/tensor.ts';

/** [batch, 3, height, width] in the size of the image that the latents stand for. */
export function fitHint(
  image: FloatTensor,
  [batch = 1, , height = 1, width = 1]: readonly number[],
): FloatTensor {
  const raster = withChannels(imageRaster(image), 3);
  const sized = resize(raster, width * CELL_SIDE, height * CELL_SIDE, 'nearest-exact', 'center');
  return rasterToPlanes(repeatToBatch(sized, batch));
}
