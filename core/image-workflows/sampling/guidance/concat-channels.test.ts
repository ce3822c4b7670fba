import { expect, test } from 'vitest';
import type { LatentFormat } from '../../values/latent.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import { concatInput } from './concat-channels.ts';

const latent: LatentFormat = { channels: 2, scaleFactor: 0.5, shiftFactor: 1 };
const SHAPE = [1, 2, 2, 3];
const samples = full(SHAPE, 4);
/** A mask whose pixels have the numbers of their places in a cell. */
const pixels: FloatTensor = {
  shape: [1, 16, 24],
  data: Float32Array.from({ length: 16 * 24 }, (_, at) => (Math.floor(at / 24) % 8) * 8 + (at % 8)),
};

test('Flux takes the scaled image, and the pixels of each cell as channels of the mask', () => {
  const model = { concat: 'scaled image and mask' as const, latent };
  const found = concatInput({ inpainting: { mask: pixels, latent: samples } }, SHAPE, model, undefined)!;
  expect(found.shape).toEqual([1, 66, 2, 3]);
  const channel = (number: number) => [...found.data.subarray(number * 6, (number + 1) * 6)];
  expect(channel(0)).toEqual(Array(6).fill(1.5));
  expect(channel(1)).toEqual(Array(6).fill(1.5));
  for (const number of [0, 1, 7, 8, 63]) expect(channel(2 + number)).toEqual(Array(6).fill(number));
});

test('Flux without an image gets an empty one, and a mask of all', () => {
  const masked = concatInput({}, SHAPE, { concat: 'scaled image and mask', latent }, undefined)!;
  expect([...masked.data.subarray(0, 12)]).toEqual(Array(12).fill(-0.5));
  expect([...masked.data.subarray(12)]).toEqual(Array(64 * 6).fill(1));
  const image = concatInput({}, SHAPE, { concat: 'scaled image', latent }, undefined)!;
  expect([image.shape, [...image.data]]).toEqual([SHAPE, Array(12).fill(-0.5)]);
});
