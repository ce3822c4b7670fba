/** Images [batch, height, width, channels] and masks [batch, height, width] seen as rows of pixels. */
import { type FloatTensor, full, tensorOf, zeros } from '../values/tensor.ts';

export interface Raster {
  readonly batch: number;
  readonly height: number;
  readonly width: number;
  /** Numbers a pixel, side by side. */
  readonly channels: number;
  readonly data: Float32Array;
}

/** Throws for anything that is not an image. */
export function imageRaster(image: FloatTensor): Raster {
  const [batch, height, width, channels] = image?.shape ?? [];
  if (image?.shape?.length !== 4 || !batch || !height || !width || !channels)
    throw new TypeError(`an image [batch, height, width, channels] is needed, not ${shapeText(image)}`);
  return { batch, height, width, channels, data: image.data };
}

/** A mask [batch, height, width], also without the batch or with a channel of one before height. */
export function maskRaster(mask: FloatTensor): Raster {
  const shape = mask?.shape ?? [];
  const [height, width] = shape.slice(-2);
  if (shape.length < 2 || !height || !width || mask.data.length === 0)
    throw new TypeError(`a mask [batch, height, width] is needed, not ${shapeText(mask)}`);
  return { batch: mask.data.length / (height * width), height, width, channels: 1, data: mask.data };
}

export const rasterToImage = ({ batch, height, width, channels, data }: Raster): FloatTensor =>
  tensorOf([batch, height, width, channels], data);
export const rasterToMask = ({ batch, height, width, data }: Raster): FloatTensor =>
  tensorOf([batch, height, width], data);

/** Filled with `value`. Throws `RangeError` for sizes that no machine here holds. */
export function emptyRaster(
  batch: number,
  height: number,
  width: number,
  channels: number,
  value = 0,
): Raster {
  return { batch, height, width, channels, data: full([batch, height, width, channels], value).data };
}

/** A new raster of the same shape, each number through `change`. */
export function mapRaster(raster: Raster, change: (value: number) => number): Raster {
  const data = new Float32Array(raster.data.length);
  for (let at = 0; at < data.length; at++) data[at] = change(raster.data[at]!);
  return { ...raster, data };
}

/** The pixels of picture `index`, not copied. */
export function rasterAt(raster: Raster, index: number): Raster {
  const size = raster.height * raster.width * raster.channels;
  return { ...raster, batch: 1, data: raster.data.subarray(index * size, (index + 1) * size) };
}

/** Pictures one after another; all of one size. */
export function concatBatches(rasters: readonly Raster[]): Raster {
  const first = rasters[0]!;
  const batch = rasters.reduce((sum, raster) => sum + raster.batch, 0);
  for (const { height, width, channels } of rasters)
    if (height !== first.height || width !== first.width || channels !== first.channels)
      throw new TypeError(
        `pictures of one batch must be of one size, not ${first.width}x${first.height}x${first.channels} and ${width}x${height}x${channels}`,
      );
  const joined = emptyRaster(batch, first.height, first.width, first.channels);
  let at = 0;
  for (const { data } of rasters) {
    joined.data.set(data, at);
    at += data.length;
  }
  return joined;
}

/** Cut off, or repeated from the start, to `batch` pictures. */
export function repeatToBatch(raster: Raster, batch: number): Raster {
  if (raster.batch === batch) return raster;
  const size = raster.height * raster.width * raster.channels;
  if (raster.batch > batch) return { ...raster, batch, data: raster.data.subarray(0, batch * size) };
  const repeated = emptyRaster(batch, raster.height, raster.width, raster.channels);
  for (let at = 0; at < repeated.data.length; at += raster.data.length)
    repeated.data.set(raster.data.subarray(0, Math.min(raster.data.length, repeated.data.length - at)), at);
  return repeated;
}

/** With another number of channels: further ones are cut off, missing ones are `fill`. */
export function withChannels(raster: Raster, channels: number, fill = 1): Raster {
  if (raster.channels === channels) return raster;
  const made = emptyRaster(raster.batch, raster.height, raster.width, channels, fill);
  const kept = Math.min(channels, raster.channels);
  const pixels = raster.batch * raster.height * raster.width;
  for (let pixel = 0; pixel < pixels; pixel++)
    for (let channel = 0; channel < kept; channel++)
      made.data[pixel * channels + channel] = raster.data[pixel * raster.channels + channel]!;
  return made;
}

/** A channel alone. */
export function extractChannel(raster: Raster, channel: number): Raster {
  const made = emptyRaster(raster.batch, raster.height, raster.width, 1);
  for (let pixel = 0; pixel < made.data.length; pixel++)
    made.data[pixel] = raster.data[pixel * raster.channels + channel]!;
  return made;
}

/** [batch, channels, height, width], as latents are kept. */
export function planesToRaster({ shape, data }: FloatTensor): Raster {
  const [batch = 0, channels = 0, height = 0, width = 0] = shape;
  const made = emptyRaster(batch, height, width, channels);
  const area = height * width;
  for (let plane = 0; plane < batch * channels; plane++) {
    const target = Math.floor(plane / channels) * area * channels + (plane % channels);
    for (let pixel = 0; pixel < area; pixel++)
      made.data[target + pixel * channels] = data[plane * area + pixel]!;
  }
  return made;
}

export function rasterToPlanes({ batch, height, width, channels, data }: Raster): FloatTensor {
  const made = zeros([batch, channels, height, width]);
  const area = height * width;
  for (let plane = 0; plane < batch * channels; plane++) {
    const source = Math.floor(plane / channels) * area * channels + (plane % channels);
    for (let pixel = 0; pixel < area; pixel++)
      made.data[plane * area + pixel] = data[source + pixel * channels]!;
  }
  return made;
}

const shapeText = (value: unknown): string => {
  const shape = (value as FloatTensor | undefined)?.shape;
  return Array.isArray(shape) ? `[${shape.join(', ')}]` : typeof value;
};
