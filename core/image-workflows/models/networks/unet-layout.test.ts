import { expect, test } from 'vitest';
import type { TensorSession } from '#core/host';
import type { SizeOptions } from '../../values/network.ts';
import { zeros } from '../../values/tensor.ts';
import { unetLayout } from './unet-layout.ts';

/** The `time_ids` of SDXL for an image of 64 x 32. `count`: the number of ids that the network takes. */
function timeIds(count: number | string, sizes?: SizeOptions): number[] {
  const slot = (name: string, shape: (number | string)[]) => ({ name, type: 'float32', shape });
  const session = {
    inputs: [
      slot('sample', ['batch', 4, 'height', 'width']),
      slot('timestep', []),
      slot('encoder_hidden_states', ['batch', 'tokens', 8]),
      slot('text_embeds', ['batch', 8]),
      slot('time_ids', ['batch', count]),
    ],
  } as unknown as TensorSession;
  const prompts = [{ tensor: zeros([1, 2, 8]), options: { pooled: zeros([1, 8]), ...(sizes && { sizes }) } }];
  const feeds = unetLayout(() => []).feeds({ session, x: zeros([1, 4, 4, 8]), timestep: 1, prompts });
  const { shape, data } = feeds.time_ids!;
  expect(shape).toEqual([1, data.length]);
  return Array.from(data as Float32Array);
}

test('SDXL takes sizes; its refiner takes the aesthetic score instead of the target size', () => {
  expect(timeIds(6)).toEqual([32, 64, 0, 0, 32, 64]);
  const sizes = { width: 8, height: 9, cropLeft: 1, cropTop: 2, targetWidth: 3 };
  expect(timeIds('sizes', sizes)).toEqual([9, 8, 2, 1, 9, 3]);
  expect(timeIds(5)).toEqual([32, 64, 0, 0, 6]);
  expect(timeIds(5, { aestheticScore: 2.5 })).toEqual([32, 64, 0, 0, 2.5]);
});
