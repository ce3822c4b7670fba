import { beforeEach, expect, test } from 'vitest';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import { datasetNodes } from './datasets.ts';

const progress: number[] = [];
const { files, context } = fileContext({}, { progress: async (value) => void progress.push(value) });
const nodeOf = (name: string) => datasetNodes.find((node) => node.name === name)!;
const run = async (name: string, values: Record<string, unknown>) =>
  (await nodeOf(name).run(values, context)) as unknown[];
const gray = (width: number, height: number) =>
  encodePng({ width, height, channels: 3, data: new Uint8Array(width * height * 3).fill(51) });

beforeEach(async () => {
  await files.write('input/set/a.png', gray(2, 3));
  await files.write('input/set/a.txt', new TextEncoder().encode(' a cat\n'));
  await files.write('input/set/2_dogs/b.png', gray(4, 1));
});

test('images of a folder are a list, each in its own size', async () => {
  const [images] = await run('LoadImageDataSetFromFolder', { folder: 'set' });
  expect((images as FloatTensor[]).map(({ shape }) => shape)).toEqual([[1, 3, 2, 3]]);
  expect(progress.at(-1)).toBe(1);
  await expect(run('LoadImageDataSetFromFolder', { folder: 'none' })).rejects.toThrow(
    'no image in the folder',
  );
});

test('with texts, folders whose name begins with a number repeat', async () => {
  const [images, texts] = await run('LoadImageTextDataSetFromFolder', { folder: 'set' });
  expect((images as FloatTensor[]).map(({ shape }) => shape)).toEqual([
    [1, 3, 2, 3],
    [1, 1, 4, 3],
    [1, 1, 4, 3],
  ]);
  expect(texts).toEqual(['a cat', '', '']);
  const digest = () => nodeOf('LoadImageTextDataSetFromFolder').fingerprint!({ folder: 'set' }, context);
  const before = await digest();
  await files.write('input/set/a.txt', new TextEncoder().encode('a dog'));
  expect(await digest()).not.toBe(before);
});

test('images and texts become latents and prompts', async () => {
  const images = [full([1, 8, 8, 3], 0.5), full([1, 16, 8, 3], 0.5)];
  const vae = [{ encode: async ({ shape }: FloatTensor) => full([1, 4, shape[1]! / 8, 1], 1) }];
  /** Encodes a text as its length. */
  const clip = [{ encode: async (text: string) => ({ tensor: full([1, 1, 1], text.length) }) }];
  const make = async (texts?: string[]) => {
    const [latents, prompts] = await run('MakeTrainingDataset', {
      images,
      vae,
      clip,
      ...(texts && { texts }),
    });
    return {
      shapes: (latents as Latent[]).map(({ samples }) => samples.shape),
      prompts: (prompts as Conditioning[]).map(([entry]) => entry!.tensor.data[0]),
    };
  };
  expect(await make(['one', 'three'])).toEqual({
    shapes: [
      [1, 4, 1, 1],
      [1, 4, 2, 1],
    ],
    prompts: [3, 5],
  });
  expect((await make(['same'])).prompts).toEqual([4, 4]);
  expect((await make()).prompts).toEqual([0, 0]);
  await expect(make(['a', 'b', 'c'])).rejects.toThrow('3 texts for 2 images');
});
