import { crop as cropRaster } from '../../images/operations/geometry.ts';
import { imageRaster, mapRaster, rasterToPlanes, withChannels } from '../../images/rasters.ts';
import { resizeAntialiased } from '../../images/resize/antialiased.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { runYielding } from '../../yielding/steps.ts';

/** The preprocessing that a vision encoder was trained with. */
export interface ImagePreprocessing {
  /** Pixels along each side. */
  readonly size: number;
  /** The means of red, green and blue, in units of 0 to 1. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/** The largest aspect ratio of an image that is cropped to its center. */
const MAX_ASPECT_RATIO = 100;

/**
 * [batch, height, width, channels] in 0..1 to normalized [batch, 3, size, size]. Values are rounded to 256 levels, as in
 * the training of the encoders. Rejects with the signal's reason.
 *
 * @param crop `center`: the short side becomes `size` and the center is cropped. `none`: both sides become `size`.
 */
export async function preprocessImage(
  image: FloatTensor,
  { size, mean, std }: ImagePreprocessing,
  crop: 'center' | 'none',
  signal: AbortSignal,
): Promise<FloatTensor> {
  const [height = 1, width = 1] = image.shape.slice(1);
  if (crop === 'center' && Math.max(height, width) > MAX_ASPECT_RATIO * Math.min(height, width))
    throw new Error(
      `an image of ${width} x ${height} is too thin to be cropped to its center: crop it first, or choose the crop "none"`,
    );
  let raster = withChannels(imageRaster(image), 3);
  if (raster.width !== size || raster.height !== size) {
    const scale = size / Math.min(raster.width, raster.height);
    const side = (length: number) => (crop === 'center' ? roundHalfEven(scale * length) : size);
    const resized = resizeAntialiased(raster, side(raster.width), side(raster.height));
    raster = cropToCenter(await runYielding(resized, signal), size);
  }
  const pixels = mapRaster(raster, (value) =>
    Math.fround(roundHalfEven(Math.min(Math.max(Math.fround(255 * value), 0), 255)) / 255),
  );
  for (let at = 0; at < pixels.data.length; at++)
    pixels.data[at] = (pixels.data[at]! - mean[at % 3]!) / std[at % 3]!;
  return rasterToPlanes(pixels);
}

function cropToCenter(raster: ReturnType<typeof imageRaster>, size: number) {
  if (raster.width === size && raster.height === size) return raster;
  const [x, y] = [raster.width, raster.height].map((length) => Math.floor((length - size) / 2));
  return cropRaster(raster, x!, y!, size, size);
}
