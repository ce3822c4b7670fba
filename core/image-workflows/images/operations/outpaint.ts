import { emptyRaster, type Raster } from '../rasters.ts';
import { paste } from './geometry.ts';

export interface Margins {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * Adds gray borders, and returns a mask of the part to paint. The mask is 1 in the borders. Inside of the image it falls
 * with the square of the distance over `feathering` pixels. An image too small for that gets a hard edge.
 */
export function padForOutpaint(
  image: Raster,
  margins: Margins,
  feathering: number,
): { image: Raster; mask: Raster } {
  const { left, top, right, bottom } = margins;
  const { height, width } = image;
  const padded = emptyRaster(image.batch, height + top + bottom, width + left + right, image.channels, 0.5);
  paste(padded, image, left, top);
  const mask = emptyRaster(1, padded.height, padded.width, 1, 1);
  const isFeathered = feathering > 0 && feathering * 2 < height && feathering * 2 < width;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let value = 0;
      if (isFeathered) {
        const distance = Math.min(
          top === 0 ? height : y,
          bottom === 0 ? height : height - y,
          left === 0 ? width : x,
          right === 0 ? width : width - x,
        );
        if (distance < feathering) value = ((feathering - distance) / feathering) ** 2;
      }
      mask.data[(top + y) * mask.width + left + x] = value;
    }
  return { image: padded, mask };
}
