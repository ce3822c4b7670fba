/** Conversion between RGB and luma with two color differences (ITU-R BT.601). The differences are centered at 0.5. */
import { emptyRaster, type Raster } from '../rasters.ts';

/** Y, U and V as three gray images. */
export function toYuv(image: Raster): [Raster, Raster, Raster] {
  const make = () => emptyRaster(image.batch, image.height, image.width, 3);
  const planes: [Raster, Raster, Raster] = [make(), make(), make()];
  const pixels = image.batch * image.height * image.width;
  for (let pixel = 0; pixel < pixels; pixel++) {
    const red = image.data[pixel * image.channels]!;
    const green = image.data[pixel * image.channels + 1] ?? red;
    const blue = image.data[pixel * image.channels + 2] ?? red;
    const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
    const values = [luma, (blue - luma) * 0.564 + 0.5, (red - luma) * 0.713 + 0.5];
    for (const [plane, value] of values.entries()) planes[plane]!.data.fill(value, pixel * 3, pixel * 3 + 3);
  }
  return planes;
}

/** RGB of three images of the same size and batch. Uses the mean of the channels of each. Throws a `TypeError` otherwise. */
export function fromYuv(y: Raster, u: Raster, v: Raster): Raster {
  for (const other of [u, v])
    if (other.width !== y.width || other.height !== y.height || other.batch !== y.batch)
      throw new TypeError('Y, U and V must be images of one size and number');
  const result = emptyRaster(y.batch, y.height, y.width, 3);
  const mean = ({ data, channels }: Raster, pixel: number): number => {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += data[pixel * channels + channel]!;
    return sum / channels;
  };
  for (let pixel = 0; pixel < y.batch * y.height * y.width; pixel++) {
    const luma = mean(y, pixel);
    const blue = mean(u, pixel) - 0.5;
    const red = mean(v, pixel) - 0.5;
    result.data[pixel * 3] = luma + 1.403 * red;
    result.data[pixel * 3 + 1] = luma - 0.714 * red - 0.344 * blue;
    result.data[pixel * 3 + 2] = luma + 1.773 * blue;
  }
  return result;
}
