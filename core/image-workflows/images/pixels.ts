/** Between bytes of files and numbers of graphs. */
import type { Pixels } from '#core/image-codecs';
import { emptyRaster, type Raster, rasterAt } from './rasters.ts';
import { toByte, toBytes } from './rounding.ts';

/** What a LoadImage gives: frames as one batch of RGB, and what is clear in them (1 - alpha). */
export function imageAndMask(frames: readonly Pixels[]): { image: Raster; mask: Raster } {
  const { width, height, channels } = frames[0]!;
  const image = emptyRaster(frames.length, height, width, 3);
  // without opacity: a mask of a fixed size, as clients expect
  const mask =
    channels === 4 ? emptyRaster(frames.length, height, width, 1) : emptyRaster(frames.length, 64, 64, 1);
  const size = width * height;
  for (const [index, { data }] of frames.entries())
    for (let pixel = 0; pixel < size; pixel++) {
      const to = (index * size + pixel) * 3;
      const from = pixel * channels;
      for (let channel = 0; channel < 3; channel++) image.data[to + channel] = data[from + channel]! / 255;
      if (channels === 4) mask.data[index * size + pixel] = 1 - data[from + 3]! / 255;
    }
  return { image, mask };
}

/** Picture `index` as bytes; a single channel becomes grey, more than four are an error. */
export function toPixels(image: Raster, index: number): Pixels {
  const { width, height, channels, data } = rasterAt(image, index);
  if (channels === 3 || channels === 4) return { width, height, channels, data: toBytes(data) };
  if (channels !== 1) throw new RangeError(`a picture has 1, 3 or 4 channels, not ${channels}`);
  const made = new Uint8Array(data.length * 3);
  for (const [at, value] of data.entries()) made.fill(toByte(value), at * 3, at * 3 + 3);
  return { width, height, channels: 3, data: made };
}
