import { expect, test } from 'vitest';
import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { Latent } from '../../values/latent.ts';
import { full, zeros } from '../../values/tensor.ts';
import { hunyuanVideoNodes } from './hunyuan.ts';

test('a prompt for a video of an image shows the image to the text encoder', async () => {
  const calls: unknown[][] = [];
  const clip = {
    encode: async (text: unknown, _signal: AbortSignal, ...rest: unknown[]) => {
      calls.push([text, ...rest]);
      return { tensor: zeros([1, 2, 3]) };
    },
  } as unknown as ClipModel;
  const node = hunyuanVideoNodes.find(({ name }) => name === 'TextEncodeHunyuanVideo_ImageToVideo')!;
  const languageTokens = zeros([1, 4, 3]);
  const inputs = {
    clip,
    clip_vision_output: { languageTokens },
    prompt: 'a fox turns',
    image_interleave: 3,
  };
  await node.run(inputs as never, { signal: new AbortController().signal } as never);
  const template = expect.stringMatching(/<image>(.|\n)*\{\}<\|eot_id\|>/);
  expect(calls).toEqual([['a fox turns', [], [], { template, tokens: languageTokens, interleave: 3 }]]);
});

test('given frames are joined to the prompt, or replace the first ones of the latent', async () => {
  const node = hunyuanVideoNodes.find(({ name }) => name === 'HunyuanImageToVideo')!;
  const vae = { encode: async () => full([1, 16, 2, 2], 5) };
  const run = (guidance_type: string) =>
    node.run(
      {
        ...{ positive: [{ tensor: zeros([1, 2, 3]), options: {} }], vae, guidance_type },
        ...{ width: 16, height: 16, length: 5, batch_size: 2, start_image: full([1, 16, 16, 3], 0.5) },
      } as never,
      { signal: new AbortController().signal } as never,
    );
  const mask = { shape: [1, 1, 2, 2, 2], data: Float32Array.of(0, 0, 0, 0, 1, 1, 1, 1) };
  const [joined, empty] = (await run('v1 (concat)')) as readonly unknown[];
  expect(joined).toMatchObject([{ options: { inpainting: { mask } } }]);
  expect(empty).toEqual({ samples: zeros([2, 16, 2, 2, 2]) });
  const [replaced, latent] = (await run('v2 (replace)')) as [Conditioning, Latent];
  expect(replaced[0]!.options).toEqual({ isFirstFrameGiven: true });
  expect(latent.noiseMask).toEqual(mask);
  expect([...latent.samples.data.slice(0, 8)]).toEqual([5, 5, 5, 5, 0, 0, 0, 0]);
  expect(latent.samples.data.at(-5)).toBe(5);
  await expect(run('custom')).rejects.toThrow('use v1 (concat) or v2 (replace)');
});

test('the refiner gets the latent with both prompts, and an empty one of its own', async () => {
  const node = hunyuanVideoNodes.find(({ name }) => name === 'HunyuanRefinerLatent')!;
  const samples = zeros([2, 16, 3, 4, 6]);
  const prompt = [{ tensor: zeros([1, 2, 3]), options: {} }];
  const inputs = { positive: prompt, negative: prompt, latent: { samples }, noise_augmentation: 0.25 };
  const result = (await node.run(inputs as never, {} as never)) as readonly unknown[];
  const [positive, negative, latent] = result;
  for (const each of [positive, negative])
    expect(each).toMatchObject([{ options: { inpainting: { latent: samples, noise: 0.25 } } }]);
  expect(latent).toEqual({ samples: zeros([2, 32, 3, 4, 6]) });
  // An image is a video of one frame.
  const image = { ...inputs, latent: { samples: zeros([1, 32, 4, 6]) } };
  const [, , refined] = (await node.run(image as never, {} as never)) as readonly unknown[];
  expect(refined).toEqual({ samples: zeros([1, 32, 1, 4, 6]) });
});
