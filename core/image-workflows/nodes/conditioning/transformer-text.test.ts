import { expect, test } from 'vitest';
import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { zeros } from '../../values/tensor.ts';
import { transformerTextNodes } from './transformer-text.ts';

const signal = new AbortController().signal;
const texts: unknown[] = [];
const clip = {
  encode: async (text: unknown) => {
    texts.push(text);
    return { tensor: zeros([1, 2, 3]) };
  },
} as unknown as ClipModel;

async function run(name: string, inputs: object): Promise<unknown[]> {
  const { run: runNode } = transformerTextNodes.find((each) => each.name === name)!;
  return (await runNode(inputs as never, { signal } as never)) as unknown[];
}

test('a prompt for PixArt has the size of the image', async () => {
  const inputs = { clip, text: 'a pear', width: 640, height: 320 };
  const [conditioning] = await run('CLIPTextEncodePixArtAlpha', inputs);
  expect(texts.at(-1)).toBe('a pear');
  expect((conditioning as Conditioning)[0]!.options.sizes).toEqual({ width: 640, height: 320 });
});

test('a prompt for HunyuanDiT has a text for each encoder', async () => {
  await run('CLIPTextEncodeHunyuanDiT', { clip, bert: '一只猫', mt5xl: 'a cat' });
  expect(texts.at(-1)).toEqual({ hydit_clip: '一只猫', mt5xl: 'a cat' });
});
