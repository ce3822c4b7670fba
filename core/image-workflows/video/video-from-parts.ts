import { imageRaster } from '../images/rasters.ts';
import type { Video, VideoParts } from '../values/media.ts';

/** Moving pictures out of what they are made of. */
export const videoFromParts = (parts: VideoParts): Video => ({
  parts: async () => parts,
  async size() {
    const { width, height } = imageRaster(parts.images);
    return { width, height };
  },
});
