import { emptyRaster, type Raster } from '../rasters.ts';

/** The part inside the picture of a rectangle; throws `RangeError` when that is empty. */
export function crop(raster: Raster, x: number, y: number, width: number, height: number): Raster {
  const right = Math.min(raster.width, x + width);
  const bottom = Math.min(raster.height, y + height);
  if (right <= x || bottom <= y)
    throw new RangeError(
      `nothing is left of ${raster.width} x ${raster.height} pixels when cropped from (${x}, ${y}): start inside`,
    );
  const made = emptyRaster(raster.batch, bottom - y, right - x, raster.channels);
  const line = made.width * raster.channels;
  for (let picture = 0; picture < raster.batch; picture++)
    for (let row = 0; row < made.height; row++) {
      const source = ((picture * raster.height + y + row) * raster.width + x) * raster.channels;
      made.data.set(raster.data.subarray(source, source + line), (picture * made.height + row) * line);
    }
  return made;
}

/** Copies `source` onto `target` with its corner at (x, y), both inside. */
export function paste(target: Raster, source: Raster, x: number, y: number): void {
  const line = source.width * source.channels;
  for (let picture = 0; picture < source.batch; picture++)
    for (let row = 0; row < source.height; row++) {
      const from = (picture * source.height + row) * line;
      const to = ((picture * target.height + y + row) * target.width + x) * target.channels;
      target.data.set(source.data.subarray(from, from + line), to);
    }
}

/** In the middle of a larger picture filled with `background`; a half pixel goes up and left. */
export function centerOn(raster: Raster, width: number, height: number, background: number): Raster {
  if (width === raster.width && height === raster.height) return raster;
  const made = emptyRaster(raster.batch, height, width, raster.channels, background);
  paste(made, raster, Math.floor((width - raster.width) / 2), Math.floor((height - raster.height) / 2));
  return made;
}

/** Upside down. */
export const flipVertically = (raster: Raster): Raster =>
  rearrange(raster, raster.height, raster.width, (y, x) => (raster.height - 1 - y) * raster.width + x);
/** Left to right. */
export const flipHorizontally = (raster: Raster): Raster =>
  rearrange(raster, raster.height, raster.width, (y, x) => y * raster.width + raster.width - 1 - x);

/** Clockwise by quarters. */
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

function rearrange(
  raster: Raster,
  height: number,
  width: number,
  pixelOf: (y: number, x: number) => number,
): Raster {
  const made = emptyRaster(raster.batch, height, width, raster.channels);
  const { channels } = raster;
  const size = height * width * channels;
  for (let picture = 0; picture < raster.batch; picture++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const source = picture * size + pixelOf(y, x) * channels;
        const target = picture * size + (y * width + x) * channels;
        for (let channel = 0; channel < channels; channel++)
          made.data[target + channel] = raster.data[source + channel]!;
      }
  return made;
}
