import { expect, test } from 'vitest';
import type { TensorSession } from '#core/host/tensor-engine.ts';
import { filled } from '../../values/tensor.ts';
import { unetLayout } from './unet-layout.ts';

/** The numbers that a UNet of SDXL with so many of them is told of a picture of 64 x 32. */
function sizesTold(count: number | string, options: Record<string, number>): number[] {
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
  const prompts = [{ tensor: filled([1, 2, 8]), options: { pooled: filled([1, 8]), ...options } }];
  const feeds = unetLayout(() => []).feeds({ session, x: filled([1, 4, 4, 8]), timestep: 1, prompts });
  const { shape, data } = feeds.time_ids!;
  expect(shape).toEqual([1, data.length]);
  return Array.from(data as Float32Array);
}

test("SDXL's network is told sizes, its refiner how much the picture is liked", () => {
  expect(sizesTold(6, {})).toEqual([32, 64, 0, 0, 32, 64]);
  expect(sizesTold('sizes', { width: 8, height: 9, crop_w: 1, crop_h: 2, target_width: 3 })).toEqual([
    9, 8, 2, 1, 9, 3,
  ]);
  expect(sizesTold(5, {})).toEqual([32, 64, 0, 0, 6]);
  expect(sizesTold(5, { aesthetic_score: 2.5 })).toEqual([32, 64, 0, 0, 2.5]);
});
