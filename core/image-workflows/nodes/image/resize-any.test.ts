import { expect, it } from 'vitest';
import { type FloatTensor, full, tensorOf } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { anyNumberNodes } from './batch-any-number.ts';
import { resizeImageMask } from './resize-any.ts';

const context = { signal: new AbortController().signal } as NodeContext;
const resized = async (input: FloatTensor, resize_type: object, scale_method = 'nearest-exact') =>
  ((await resizeImageMask.run({ input, resize_type, scale_method }, context)) as [FloatTensor])[0];
const image = full([2, 40, 60, 3], 0.5);

// Width and height follow from 60 x 40 pixels.
it.each([
  [{ key: 'scale dimensions', width: 30, height: 50, crop: 'disabled' }, 30, 50],
  [{ key: 'scale dimensions', width: 0, height: 20, crop: 'center' }, 30, 20],
  [{ key: 'scale dimensions', width: 33, height: 0, crop: 'center' }, 33, 22],
  [{ key: 'scale dimensions', width: 0, height: 0, crop: 'center' }, 60, 40],
  [{ key: 'scale by multiplier', multiplier: 1.5 }, 90, 60],
  [{ key: 'scale longer dimension', longer_size: 30 }, 30, 20],
  [{ key: 'scale shorter dimension', shorter_size: 20 }, 30, 20],
  [{ key: 'scale width', width: 90 }, 90, 60],
  [{ key: 'scale height', height: 10 }, 15, 10],
  // sqrt(0.01 * 1024 * 1024 / 2400) is 2.0902: 125.4 x 83.6.
  [{ key: 'scale total pixels', megapixels: 0.01 }, 125, 84],
  [{ key: 'match size', match: full([1, 7, 9], 0), crop: 'disabled' }, 9, 7],
  [{ key: 'scale to multiple', multiple: 16 }, 48, 32],
  [{ key: 'scale to multiple', multiple: 20 }, 60, 40],
])('%j gives %d x %d', async (size, width, height) => {
  expect((await resized(image, size)).shape).toEqual([2, height, width, 3]);
});

it('resizes masks to masks, and keeps an image that has the size already', async () => {
  const mask = tensorOf([1, 1, 2], Float32Array.of(0, 1));
  const wide = await resized(mask, { key: 'scale by multiplier', multiplier: 2 });
  expect(wide.shape).toEqual([1, 2, 4]);
  expect([...wide.data]).toEqual([0, 0, 1, 1, 0, 0, 1, 1]);
  expect(await resized(image, { key: 'scale width', width: 60 })).toBe(image);
});

it('covers multiples and cuts off both sides evenly', async () => {
  // Six columns of 0 to 5, two rows: multiples of 2 fit as they are. Multiples of 4 do not fit in two rows.
  const columns = tensorOf(
    [1, 4, 6],
    Float32Array.from({ length: 24 }, (_, at) => at % 6),
  );
  expect([...(await resized(columns, { key: 'scale to multiple', multiple: 4 })).data.slice(0, 4)]).toEqual([
    1, 2, 3, 4,
  ]);
  await expect(resized(columns, { key: 'scale to multiple', multiple: 5 })).rejects.toThrow(
    'choose a smaller multiple',
  );
});

const joined = async (name: string, values: Record<string, unknown>) =>
  ((await anyNumberNodes.find((type) => type.name === name)!.run(values, context)) as [FloatTensor])[0];

it('joins images of any size and channels in their order', async () => {
  const images = {
    image0: full([1, 2, 2, 3], 0.1),
    image1: full([2, 4, 4, 4], 0.2),
    image2: full([1, 2, 2, 3], 0.3),
  };
  const { shape, data } = await joined('BatchImagesNode', { images });
  expect(shape).toEqual([4, 2, 2, 4]);
  expect([0, 16, 32, 48].map((at) => Number(data[at]!.toFixed(3)))).toEqual([0.1, 0.2, 0.2, 0.3]);
  // Images without opacity are opaque.
  expect(data[3]).toBe(1);
});

it('joins masks and latents', async () => {
  const masks = { mask0: full([1, 2, 2], 0.1), mask1: full([3, 2, 2], 0.2) };
  expect((await joined('BatchMasksNode', { masks })).shape).toEqual([4, 2, 2]);
  const latents = {
    latent0: { samples: full([1, 4, 2, 2], 1) },
    latent1: { samples: full([2, 4, 4, 4], 2) },
  };
  const latent = (await joined('BatchLatentsNode', { latents })) as unknown as {
    samples: FloatTensor;
    batchIndex: number[];
  };
  expect(latent.samples.shape).toEqual([3, 4, 2, 2]);
  expect(latent.batchIndex).toEqual([0, 0, 1]);
});
