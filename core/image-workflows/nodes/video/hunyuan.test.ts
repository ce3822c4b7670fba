import { expect, test } from 'vitest';
import type { ClipModel } from '../../values/clip-model.ts';
import { zeros } from '../../values/tensor.ts';
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
});
