/** Conversion between the pixels of files (bytes) and rasters (floats from 0 to 1). */
import type { Pixels } from '#core/image-codecs';
import { emptyRaster, type Raster, rasterAt } from './rasters.ts';
import { toByte, toBytes } from './rounding.ts';

/** Frames as a batch of RGB, and a mask of their transparency (1 - alpha). All frames have the size of the first. */
export function imageAndMask(frames: readonly Pixels[]): { image: Raster; mask: Raster } {
  const { width, height, channels } = frames[0]!;
  const image = emptyRaster(frames.length, height, width, 3);
  // Without alpha the mask is 64 x 64, as in ComfyUI.
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

/** Image `index` of a batch as bytes. A single channel becomes gray. Throws a `RangeError` for 2 or more than 4 channels. */
export function toPixels(image: Raster, index: number): Pixels {
  const { width, height, channels, data } = rasterAt(image, index);
  if (channels === 3 || channels === 4) return { width, height, channels, data: toBytes(data) };
  if (channels !== 1) throw new RangeError(`an image has 1, 3 or 4 channels, not ${channels}`);
  const rgb = new Uint8Array(data.length * 3);
  for (const [at, value] of data.entries()) rgb.fill(toByte(value), at * 3, at * 3 + 3);
  return { width, height, channels: 3, data: rgb };
}
