/** Pictures as vision encoders take them. */
import { crop as cropped } from '../../images/operations/geometry.ts';
import { imageRaster, mapRaster, rasterToPlanes, withChannels } from '../../images/rasters.ts';
import { resizeAntialiased } from '../../images/resize/antialiased.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { runYielding } from '../../yielding/steps.ts';

export interface ImagePreprocessing {
  /** Pixels a side. */
  readonly size: number;
  /** Of red, green and blue, from 0 to 1: what stands for 0, and how far from it stands for 1. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/** Times its short side, of a picture whose middle is looked at. */
const LONGEST = 100;

/**
 * [batch, height, width, channels] in 0..1 -> [batch, 3, size, size]. `center`: the short side is brought to the size and the
 * middle is kept; `none`: both sides are, whatever becomes of the shape. Colours are rounded to 256 steps, as they were when
 * the encoders were trained. Rejects with the signal's reason.
 */
export async function preprocessImage(
  image: FloatTensor,
  { size, mean, std }: ImagePreprocessing,
  crop: 'center' | 'none',
  signal: AbortSignal,
): Promise<FloatTensor> {
  const [height = 1, width = 1] = image.shape.slice(1);
  if (crop === 'center' && Math.max(height, width) > LONGEST * Math.min(height, width))
    throw new Error(
      `a picture of ${width} x ${height} is too thin for its middle to be looked at: crop it first, or choose the crop "none"`,
    );
  let raster = withChannels(imageRaster(image), 3);
  if (raster.width !== size || raster.height !== size) {
    const scale = size / Math.min(raster.width, raster.height);
    const side = (length: number) => (crop === 'center' ? roundHalfEven(scale * length) : size);
    const sized = await runYielding(
      resizeAntialiased(raster, side(raster.width), side(raster.height)),
      signal,
    );
    const [x, y] = [sized.width, sized.height].map((length) => Math.floor((length - size) / 2));
    raster =
      x || y || sized.width !== size || sized.height !== size ? cropped(sized, x!, y!, size, size) : sized;
  }
  const whole = mapRaster(raster, (value) =>
    Math.fround(roundHalfEven(Math.min(Math.max(Math.fround(255 * value), 0), 255)) / 255),
  );
  for (let at = 0; at < whole.data.length; at++)
    whole.data[at] = (whole.data[at]! - mean[at % 3]!) / std[at % 3]!;
  return rasterToPlanes(whole);
}
