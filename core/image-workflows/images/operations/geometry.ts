import { emptyRaster, type Raster } from '../rasters.ts';

/** The part of a rectangle that is inside of the image. Throws a `RangeError` when it is empty. */
export function crop(raster: Raster, x: number, y: number, width: number, height: number): Raster {
  const right = Math.min(raster.width, x + width);
  const bottom = Math.min(raster.height, y + height);
  if (right <= x || bottom <= y)
    throw new RangeError(
      `nothing is left of ${raster.width} x ${raster.height} pixels when cropped from (${x}, ${y}): start inside`,
    );
  const result = emptyRaster(raster.batch, bottom - y, right - x, raster.channels);
  const line = result.width * raster.channels;
  for (let index = 0; index < raster.batch; index++)
    for (let row = 0; row < result.height; row++) {
      const source = ((index * raster.height + y + row) * raster.width + x) * raster.channels;
      result.data.set(raster.data.subarray(source, source + line), (index * result.height + row) * line);
    }
  return result;
}

/** Copies `source` onto `target` with its top left corner at (x, y). It must fit. */
export function paste(target: Raster, source: Raster, x: number, y: number): void {
  const line = source.width * source.channels;
  for (let index = 0; index < source.batch; index++)
    for (let row = 0; row < source.height; row++) {
      const from = (index * source.height + row) * line;
      const to = ((index * target.height + y + row) * target.width + x) * target.channels;
      target.data.set(source.data.subarray(from, from + line), to);
    }
}

/** Centers an image on a larger one filled with `background`. Half pixels are rounded up and left. */
export function centerOn(raster: Raster, width: number, height: number, background: number): Raster {
  if (width === raster.width && height === raster.height) return raster;
  const result = emptyRaster(raster.batch, height, width, raster.channels, background);
  paste(result, raster, Math.floor((width - raster.width) / 2), Math.floor((height - raster.height) / 2));
  return result;
}

/**
 * Continues an image to the right and below until its sides are multiples of a number. The new pixels mirror those next
 * to the edge, without the edge itself.
 */
export function mirrorToMultiple(raster: Raster, multiple: number): Raster {
  const [height, width] = [raster.height, raster.width].map((side) => Math.ceil(side / multiple) * multiple);
  if (height === raster.height && width === raster.width) return raster;
  return rearrange(
    raster,
    height!,
    width!,
    (y, x) => mirrored(y, raster.height) * raster.width + mirrored(x, raster.width),
  );
}

/** An index beyond the end goes back, and forth again after the start. */
function mirrored(index: number, length: number): number {
  const period = Math.max(1, 2 * (length - 1));
  return Math.min(index % period, period - (index % period));
}

/** Mirrors upside down. */
export const flipVertically = (raster: Raster): Raster =>
  rearrange(raster, raster.height, raster.width, (y, x) => (raster.height - 1 - y) * raster.width + x);
/** Mirrors left to right. */
export const flipHorizontally = (raster: Raster): Raster =>
  rearrange(raster, raster.height, raster.width, (y, x) => y * raster.width + raster.width - 1 - x);

/** Rotates clockwise by `quarters` times 90 degrees. */
export function rotate(raster: Raster, quarters: number): Raster {
  const { height, width } = raster;
  switch (((quarters % 4) + 4) % 4) {
    case 1:
      return rearrange(raster, width, height, (y, x) => (height - 1 - x) * width + y);
    case 2:
      return rearrange(raster, height, width, (y, x) => (height - 1 - y) * width + width - 1 - x);
    case 3:
      return rearrange(raster, width, height, (y, x) => x * width + width - 1 - y);
    default:
      return raster;
  }
}

/** A raster of another size whose pixels come from `pixelOf`, an index within an image of `raster`. */
function rearrange(
  raster: Raster,
  height: number,
  width: number,
  pixelOf: (y: number, x: number) => number,
): Raster {
  const result = emptyRaster(raster.batch, height, width, raster.channels);
  const { channels } = raster;
  const size = height * width * channels;
  const sourceSize = raster.height * raster.width * channels;
  for (let index = 0; index < raster.batch; index++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const source = index * sourceSize + pixelOf(y, x) * channels;
        const target = index * size + (y * width + x) * channels;
        for (let channel = 0; channel < channels; channel++)
          result.data[target + channel] = raster.data[source + channel]!;
      }
  return result;
}
