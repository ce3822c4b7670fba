/** Rasters: images [batch, height, width, channels] and masks [batch, height, width] as rows of pixels. */
import { type FloatTensor, full, tensorOf, zeros } from '../values/tensor.ts';

export interface Raster {
  readonly batch: number;
  readonly height: number;
  readonly width: number;
  /** Numbers of a pixel. They are adjacent in `data`. */
  readonly channels: number;
  readonly data: Float32Array;
}

/** An IMAGE as a raster. Throws a `TypeError` for another value. */
export function imageRaster(image: FloatTensor): Raster {
  const [batch, height, width, channels] = image?.shape ?? [];
  if (image?.shape?.length !== 4 || !batch || !height || !width || !channels)
    throw new TypeError(`an image [batch, height, width, channels] is needed, not ${shapeText(image)}`);
  return { batch, height, width, channels, data: image.data };
}

/** A MASK as a raster. Accepts [height, width] and [batch, 1, height, width], too. Throws a `TypeError` for other values. */
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

/** A raster with `value` in all channels. Throws a `RangeError` for sizes that do not fit in memory. */
export function emptyRaster(
  batch: number,
  height: number,
  width: number,
  channels: number,
  value = 0,
): Raster {
  return { batch, height, width, channels, data: full([batch, height, width, channels], value).data };
}

/** A new raster with `change` applied to each number. */
export function mapRaster(raster: Raster, change: (value: number) => number): Raster {
  const data = new Float32Array(raster.data.length);
  for (let at = 0; at < data.length; at++) data[at] = change(raster.data[at]!);
  return { ...raster, data };
}

/** Image `index` of a batch. Shares the memory of the batch. */
export function rasterAt(raster: Raster, index: number): Raster {
  const size = raster.height * raster.width * raster.channels;
  return { ...raster, batch: 1, data: raster.data.subarray(index * size, (index + 1) * size) };
}

/** Joins batches. Throws a `TypeError` when sizes or channels differ. */
export function concatBatches(rasters: readonly Raster[]): Raster {
  const first = rasters[0]!;
  const batch = rasters.reduce((sum, raster) => sum + raster.batch, 0);
  for (const { height, width, channels } of rasters)
    if (height !== first.height || width !== first.width || channels !== first.channels)
      throw new TypeError(
        `images of one batch must be of one size, not ${first.width}x${first.height}x${first.channels} and ${width}x${height}x${channels}`,
      );
  const joined = emptyRaster(batch, first.height, first.width, first.channels);
  let at = 0;
  for (const { data } of rasters) {
    joined.data.set(data, at);
    at += data.length;
  }
  return joined;
}

/** A batch of `batch` images: cut off at the end, or repeated from the start. May share memory with `raster`. */
export function repeatToBatch(raster: Raster, batch: number): Raster {
  if (raster.batch === batch) return raster;
  const size = raster.height * raster.width * raster.channels;
  if (raster.batch > batch) return { ...raster, batch, data: raster.data.subarray(0, batch * size) };
  const repeated = emptyRaster(batch, raster.height, raster.width, raster.channels);
  for (let at = 0; at < repeated.data.length; at += raster.data.length)
    repeated.data.set(raster.data.subarray(0, Math.min(raster.data.length, repeated.data.length - at)), at);
  return repeated;
}

/** A raster with another number of channels: extra channels are removed, missing ones get the value `fill`. */
export function withChannels(raster: Raster, channels: number, fill = 1): Raster {
  if (raster.channels === channels) return raster;
  const result = emptyRaster(raster.batch, raster.height, raster.width, channels, fill);
  const copied = Math.min(channels, raster.channels);
  const pixels = raster.batch * raster.height * raster.width;
  for (let pixel = 0; pixel < pixels; pixel++)
    for (let channel = 0; channel < copied; channel++)
      result.data[pixel * channels + channel] = raster.data[pixel * raster.channels + channel]!;
  return result;
}

/** One channel as a raster of its own. */
export function extractChannel(raster: Raster, channel: number): Raster {
  const result = emptyRaster(raster.batch, raster.height, raster.width, 1);
  for (let pixel = 0; pixel < result.data.length; pixel++)
    result.data[pixel] = raster.data[pixel * raster.channels + channel]!;
  return result;
}

/** A raster of a tensor [batch, channels, height, width], the layout of latents. */
export function planesToRaster({ shape, data }: FloatTensor): Raster {
  const [batch = 0, channels = 0, height = 0, width = 0] = shape;
  const result = emptyRaster(batch, height, width, channels);
  const area = height * width;
  for (let plane = 0; plane < batch * channels; plane++) {
    const target = Math.floor(plane / channels) * area * channels + (plane % channels);
    for (let pixel = 0; pixel < area; pixel++)
      result.data[target + pixel * channels] = data[plane * area + pixel]!;
  }
  return result;
}

/** A tensor [batch, channels, height, width] of a raster. */
export function rasterToPlanes({ batch, height, width, channels, data }: Raster): FloatTensor {
  const result = zeros([batch, channels, height, width]);
  const area = height * width;
  for (let plane = 0; plane < batch * channels; plane++) {
    const source = Math.floor(plane / channels) * area * channels + (plane % channels);
    for (let pixel = 0; pixel < area; pixel++)
      result.data[plane * area + pixel] = data[source + pixel * channels]!;
  }
  return result;
}

const shapeText = (value: unknown): string => {
  const shape = (value as FloatTensor | undefined)?.shape;
  return Array.isArray(shape) ? `[${shape.join(', ')}]` : typeof value;
};
