import { expect, test } from 'vitest';
import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import type { PhotoMaker } from '../../values/vision.ts';
import { photoMakerNodes } from './photo-maker.ts';

const signal = new AbortController().signal;
const encode = photoMakerNodes.find(({ name }) => name === 'PhotoMakerEncode')!;
const texts: unknown[] = [];
const clip = {
  async encode(text: unknown) {
    texts.push(text);
    return {
      tensor: { shape: [1, 4, 2], data: Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7) },
      pooled: full([1, 2], 9),
    };
  },
} as unknown as ClipModel;
const seen: { image: FloatTensor; token: FloatTensor }[] = [];
const photomaker: PhotoMaker = {
  async withPerson(image, token) {
    seen.push({ image, token });
    return { shape: token.shape, data: token.data.map((value) => -value) };
  },
};
/** Two images, of which the first counts. */
const image = { shape: [2, 1, 1, 3], data: Float32Array.of(1, 1, 1, 0, 0, 0) };

async function encoded(text: string): Promise<number[]> {
  const [prompts] = (await encode.run({ photomaker, image, clip, text } as never, { signal } as never)) as [
    Conditioning,
  ];
  expect(prompts[0]!.options.pooled).toEqual(full([1, 2], 9));
  return [...prompts[0]!.tensor.data];
}

test('the word before "photomaker" gets the person of the first image', async () => {
  expect(await encoded('a man photomaker smiling')).toEqual([0, 1, 2, 3, -4, -5, 6, 7]);
  expect(texts.at(-1)).toBe('a man smiling');
  expect(seen.at(-1)).toEqual({
    image: { shape: [1, 1, 1, 3], data: Float32Array.of(1, 1, 1) },
    token: { shape: [1, 2], data: Float32Array.of(4, 5) },
  });
});

test('beyond the last token, the last one gets the person', async () => {
  expect(await encoded('one two three four photomaker')).toEqual([0, 1, 2, 3, 4, 5, -6, -7]);
});

test('a prompt without the word stays as it is', async () => {
  const before = seen.length;
  expect(await encoded('a  man, photomaker')).toEqual([0, 1, 2, 3, -4, -5, 6, 7]);
  expect(await encoded('a  man')).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(texts.at(-1)).toBe('a  man');
  expect(seen.length).toBe(before + 1);
});
