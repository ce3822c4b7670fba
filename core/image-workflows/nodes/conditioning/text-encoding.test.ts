import { expect, test } from 'vitest';
import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { zeros } from '../../values/tensor.ts';
import { textEncodingNodes } from './text-encoding.ts';

test('HiDream takes a text for each of its encoders, and all layers of its language model', async () => {
  const texts: unknown[] = [];
  const languageLayers = zeros([1, 2, 3, 4]);
  const clip = {
    encode: async (text: unknown) => {
      texts.push(text);
      return { tensor: zeros([1, 2, 3]), pooled: zeros([1, 5]), languageLayers };
    },
  } as unknown as ClipModel;
  const node = textEncodingNodes.find(({ name }) => name === 'CLIPTextEncodeHiDream')!;
  const inputs = { clip, clip_l: 'a', clip_g: 'b', t5xxl: 'c', llama: 'd' };
  const [conditioning] = (await node.run(
    inputs as never,
    {
      signal: new AbortController().signal,
    } as never,
  )) as [Conditioning];
  expect(texts).toEqual([{ l: 'a', g: 'b', t5xxl: 'c', llama: 'd' }]);
  expect(conditioning[0]!.options.languageLayers).toBe(languageLayers);
});
