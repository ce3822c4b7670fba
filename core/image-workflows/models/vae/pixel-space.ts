import {
  imageRaster,
  planesToRaster,
  rasterToImage,
  rasterToPlanes,
  withChannels,
} from '../../images/rasters.ts';
import { clamp01 } from '../../images/rounding.ts';
import { map } from '../../sampling/tensor-math.ts';
import type { VaeModel } from '../../values/image-models.ts';

/** The VAE of models that work on pixels: it only maps 0..1 to -1..1 and back. */
export const pixelSpace: VaeModel = {
  latentChannels: 3,
  scale: 1,
  encode: async (pixels) =>
    map((value) => value * 2 - 1, rasterToPlanes(withChannels(imageRaster(pixels), 3))),
  decode: async (samples) => map((value) => clamp01((value + 1) / 2), rasterToImage(planesToRaster(samples))),
};
