import { expect, test } from 'vitest';
import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { zeros } from '../../values/tensor.ts';
import { latentCreateNodes } from '../latent/create.ts';
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
  const all = [...transformerTextNodes, ...latentCreateNodes];
  const { run: runNode } = all.find((each) => each.name === name)!;
  return (await runNode(inputs as never, { signal } as never)) as unknown[];
}

test('a prompt for Lumina 2 begins with a sentence of its training', async () => {
  await run('CLIPTextEncodeLumina2', { clip, system_prompt: 'alignment', user_prompt: 'a red apple' });
  expect(texts.at(-1)).toMatch(/^You are an assistant .*image-text alignment.* <Prompt Start> a red apple$/);
});

test('a prompt for PixArt has the size of the image', async () => {
  const inputs = { clip, text: 'a pear', width: 640, height: 320 };
  const [conditioning] = await run('CLIPTextEncodePixArtAlpha', inputs);
  expect(texts.at(-1)).toBe('a pear');
  expect((conditioning as Conditioning)[0]!.options.sizes).toEqual({ width: 640, height: 320 });
});

test('an empty video has a frame for the first of its frames, and for every four of the others', async () => {
  const inputs = { width: 64, height: 32, batch_size: 2 };
  const frames = async (length: number) => {
    const [latent] = await run('EmptyHunyuanLatentVideo', { ...inputs, length });
    return (latent as { samples: { shape: number[] } }).samples.shape;
  };
  expect(await frames(1)).toEqual([2, 16, 1, 4, 8]);
  expect(await frames(25)).toEqual([2, 16, 7, 4, 8]);
});
