import { expect, it } from 'vitest';
import { tensorOf } from '../values/tensor.ts';
import {
  concatBatches,
  extractChannel,
  imageRaster,
  maskRaster,
  planesToRaster,
  type Raster,
  rasterAt,
  rasterToPlanes,
  repeatToBatch,
  withChannels,
} from './rasters.ts';

/** A raster with the numbers 0, 1, 2 and so on. */
const counting = (batch: number, height: number, width: number, channels: number): Raster => ({
  batch,
  height,
  width,
  channels,
  data: Float32Array.from({ length: batch * height * width * channels }, (_, at) => at),
});

it('moves channels from the end of the shape to the front and back', () => {
  const raster = counting(2, 1, 2, 3);
  const planes = rasterToPlanes(raster);
  expect(planes.shape).toEqual([2, 3, 1, 2]);
  expect([...planes.data]).toEqual([0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11]);
  expect(planesToRaster(planes)).toEqual(raster);
});

it('cuts a batch at its end, and repeats it from its start', () => {
  const raster = counting(2, 1, 1, 2);
  expect([...repeatToBatch(raster, 1).data]).toEqual([0, 1]);
  expect([...repeatToBatch(raster, 5).data]).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
  expect(repeatToBatch(raster, 2)).toBe(raster);
});

it('removes extra channels, and fills missing ones', () => {
  const raster = counting(1, 1, 2, 3);
  expect([...withChannels(raster, 1).data]).toEqual([0, 3]);
  expect([...withChannels(raster, 4, 9).data]).toEqual([0, 1, 2, 9, 3, 4, 5, 9]);
  expect([...extractChannel(raster, 1).data]).toEqual([1, 4]);
});

it('joins batches of one size, and refuses others', () => {
  const joined = concatBatches([counting(1, 1, 2, 1), counting(2, 1, 2, 1)]);
  expect(joined).toMatchObject({ batch: 3, height: 1, width: 2 });
  expect([...rasterAt(joined, 2).data]).toEqual([2, 3]);
  expect(() => concatBatches([counting(1, 1, 2, 1), counting(1, 2, 1, 1)])).toThrow(
    'images of one batch must be of one size, not 2x1x1 and 1x2x1',
  );
});

it.each([
  [[2, 3], 1],
  [[4, 2, 3], 4],
  [[4, 1, 2, 3], 4],
])('accepts a mask of shape %j', (shape, batch) => {
  const mask = tensorOf(shape, new Float32Array(batch * 6));
  expect(maskRaster(mask)).toMatchObject({ batch, height: 2, width: 3, channels: 1 });
});

it('refuses tensors that are no image or mask', () => {
  const line = tensorOf([3], new Float32Array(3));
  expect(() => imageRaster(line)).toThrow('an image [batch, height, width, channels] is needed, not [3]');
  expect(() => maskRaster(line)).toThrow('a mask [batch, height, width] is needed, not [3]');
  const empty = tensorOf([0, 2, 2, 3], new Float32Array(0));
  expect(() => imageRaster(empty)).toThrow('not [0, 2, 2, 3]');
});
