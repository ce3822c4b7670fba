import { imageRaster } from '../images/rasters.ts';
import type { Video, VideoParts } from '../values/media.ts';

/** A video value that consists of images, frame rate and audio in memory. */
export const videoFromParts = (parts: VideoParts): Video => ({
  parts: async () => parts,
  async size() {
    const { width, height } = imageRaster(parts.images);
    return { width, height };
  },
});
