import { expect, it } from 'vitest';
import { type FloatTensor, tensorOf } from '../../values/tensor.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

const texts: string[] = [];
const context = {
  signal: new AbortController().signal,
  sendText: (text: string) => void texts.push(text),
} as unknown as NodeContext;

async function run(name: string, values: Record<string, unknown>): Promise<unknown[]> {
  const result = await nodeTypes.find((node) => node.name === name)!.run(values, context);
  return result as unknown[];
}
const image = (batch: number, height: number, width: number, channels = 3): FloatTensor =>
  tensorOf(
    [batch, height, width, channels],
    Float32Array.from({ length: batch * height * width * channels }, (_, at) => (at % 10) / 10),
  );
const shapeOf = async (name: string, values: Record<string, unknown>) =>
  ((await run(name, values))[0] as FloatTensor).shape;
const bilinear = { upscale_method: 'bilinear', crop: 'disabled' };

it.each([
  // A side of 0 follows from the other one, rounded half to even.
  ['ImageScale', { ...bilinear, image: image(1, 4, 6), width: 0, height: 8 }, [1, 8, 12, 3]],
  ['ImageScale', { ...bilinear, image: image(1, 4, 6), width: 3, height: 0 }, [1, 2, 3, 3]],
  ['ImageScale', { ...bilinear, image: image(1, 4, 6), width: 0, height: 0 }, [1, 4, 6, 3]],
  ['ImageScaleBy', { ...bilinear, image: image(2, 1, 5), scale_by: 0.5 }, [2, 1, 2, 3]],
  ['ImageScaleToTotalPixels', { ...bilinear, image: image(1, 4, 1), megapixels: 0.01 }, [1, 205, 51, 3]],
  ['ImageScaleToMaxDimension', { ...bilinear, image: image(1, 4, 6), largest_size: 12 }, [1, 8, 12, 3]],
  [
    'ResizeAndPadImage',
    {
      image: image(1, 2, 4),
      target_width: 8,
      target_height: 8,
      padding_color: 'white',
      interpolation: 'area',
    },
    [1, 8, 8, 3],
  ],
  ['FluxKontextImageScale', { image: image(1, 3, 4) }, [1, 880, 1184, 3]],
  ['EmptyImage', { width: 3, height: 2, batch_size: 4, color: 0xff0000 }, [4, 2, 3, 3]],
  ['ImageBatch', { image1: image(2, 2, 2), image2: image(1, 4, 4, 4) }, [3, 2, 2, 4]],
  ['RepeatImageBatch', { image: image(2, 1, 1), amount: 3 }, [6, 1, 1, 3]],
  ['ImageFromBatch', { image: image(3, 1, 1), batch_index: 9, length: 9 }, [1, 1, 1, 3]],
  ['ImageCrop', { image: image(1, 4, 4), width: 9, height: 9, x: 99, y: 2 }, [1, 2, 1, 3]],
  [
    'JoinImageWithAlpha',
    { image: image(2, 2, 2), alpha: tensorOf([1, 1], Float32Array.of(0.25)) },
    [2, 2, 2, 4],
  ],
  ['SplitImageWithAlpha', { image: image(1, 2, 2, 4) }, [1, 2, 2, 3]],
  ['MaskToImage', { mask: tensorOf([2, 2], new Float32Array(4)) }, [1, 2, 2, 3]],
])('%s outputs the expected shape (%#)', async (name, values, expected) => {
  expect(await shapeOf(name, values)).toEqual(expected);
});

it('RebatchImages redistributes images over batches', async () => {
  const images = [image(2, 1, 1), image(3, 1, 1)];
  const [batches] = (await run('RebatchImages', { images, batch_size: [2] })) as [FloatTensor[]];
  expect(batches.map(({ shape }) => shape[0])).toEqual([2, 2, 1]);
  expect([...batches[1]!.data]).toEqual([...images[1]!.data.subarray(0, 6)]);
  const mixed = { images: [image(1, 1, 1), image(1, 2, 2)], batch_size: [2] };
  await expect(run('RebatchImages', mixed)).rejects.toThrow(/of one size/);
});

it('GetImageSize outputs and shows the size', async () => {
  expect(await run('GetImageSize', { image: image(2, 3, 4) })).toEqual([4, 3, 2]);
  expect(texts).toEqual(['width: 4, height: 3\n batch size: 2']);
});

it('ImageAddNoise adds the same noise for the same seed', async () => {
  const gray = tensorOf([1, 8, 8, 3], new Float32Array(192).fill(0.5));
  const noisy = async (seed: bigint) =>
    ((await run('ImageAddNoise', { image: gray, seed, strength: 0.1 }))[0] as FloatTensor).data;
  const data = await noisy(5n);
  expect(await noisy(5n + 2n ** 32n)).toEqual(data);
  expect(await noisy(6n)).not.toEqual(data);
  expect(gray.data.every((value) => value === 0.5)).toBe(true);
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.03);
});

it.each([
  ['ImageInvert', { image: 'text' }, /an image \[batch, height, width, channels\] is needed, not string/],
  ['InvertMask', { mask: tensorOf([3], new Float32Array(3)) }, /a mask .* not \[3\]/],
  ['ImageToMask', { image: image(1, 1, 1), channel: 'alpha' }, /3 channels and none called 'alpha'/],
  [
    'CropMask',
    { mask: tensorOf([1, 2, 2], new Float32Array(4)), x: 5, y: 0, width: 1, height: 1 },
    /start inside/,
  ],
  [
    'ImageBlend',
    { image1: image(1, 1, 1), image2: image(1, 1, 1), blend_factor: 1, blend_mode: 'zzz' },
    /'zzz'/,
  ],
  ['Canny', { image: image(1, 2, 2), low_threshold: 0.9, high_threshold: 0.1 }, /above the high one/],
  ['EmptyImage', { width: 16384, height: 16384, batch_size: 4096, color: 0 }, /smaller/],
])('%s refuses invalid inputs (%#)', async (name, values, message) => {
  await expect(run(name, values)).rejects.toThrow(message);
});
