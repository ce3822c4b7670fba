import { expect, test } from 'vitest';
import type { Conditioning } from '../../values/conditioning.ts';
import { full, zeros } from '../../values/tensor.ts';
import { hunyuanVideo15Nodes } from './hunyuan15.ts';

const context = { signal: new AbortController().signal } as never;
const prompt: Conditioning = [{ tensor: zeros([1, 2, 3]), options: {} }];
const vision = { lastHiddenState: zeros([1, 3, 4]) };
/** Encodes each image as ones. */
const vae = {
  encode: async ({ shape: [frames = 1, height = 1, width = 1] }: { shape: number[] }) =>
    full([1, 32, Math.floor((frames - 1) / 4) + 1, height / 16, width / 16], 1),
};

async function run(name: string, inputs: object) {
  const node = hunyuanVideo15Nodes.find((each) => each.name === name)!;
  const both = { positive: prompt, negative: prompt };
  return (await node.run({ ...both, ...inputs } as never, context)) as [Conditioning, Conditioning, unknown];
}

test('the first frames of a video', async () => {
  const [positive, negative, latent] = await run('HunyuanVideo15ImageToVideo', {
    ...{ vae, width: 32, height: 16, length: 9, batch_size: 2 },
    ...{ start_image: full([1, 8, 8, 3], 0.5), clip_vision_output: vision },
  });
  expect(latent).toEqual({ samples: zeros([2, 32, 3, 1, 2]) });
  for (const [entry] of [positive, negative]) {
    expect(entry!.options.vision).toBe(vision);
    const { latent: frames, mask } = entry!.options.inpainting!;
    expect([frames!.shape, [...frames!.data.slice(0, 6)]]).toEqual([
      [1, 32, 3, 1, 2],
      [1, 1, 0, 0, 0, 0],
    ]);
    expect([mask!.shape, [...mask!.data]]).toEqual([
      [1, 1, 3, 1, 2],
      [0, 0, 1, 1, 1, 1],
    ]);
  }
});

test('a latent that is enlarged, with and without the first frame', async () => {
  const samples = full([2, 32, 3, 1, 2], 3);
  const latent = { samples };
  const inputs = { latent, noise_augmentation: 0.7, clip_vision_output: vision };
  const [plain, , passed] = await run('HunyuanVideo15SuperResolution', inputs);
  expect(passed).toBe(latent);
  const { latent: channels, noise } = plain[0]!.options.inpainting!;
  expect([channels!.shape, noise]).toEqual([[2, 66, 3, 1, 2], 0.7]);
  const frame = (data: Float32Array, at: number, video = 0) => [
    ...data.subarray((video * 66 + at) * 6, (video * 66 + at + 1) * 6),
  ];
  for (const video of [0, 1]) {
    expect(frame(channels!.data, 0, video)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(frame(channels!.data, 33, video)).toEqual([3, 3, 3, 3, 3, 3]);
    expect(frame(channels!.data, 65, video)).toEqual([1, 1, 1, 1, 1, 1]);
  }
  const [begun] = await run('HunyuanVideo15SuperResolution', {
    ...{ ...inputs, vae, start_image: full([1, 8, 8, 3], 0.5) },
  });
  const { data } = begun[0]!.options.inpainting!.latent!;
  expect(frame(data, 31, 1)).toEqual([1, 1, 0, 0, 0, 0]);
  expect(frame(data, 33)).toEqual([1, 1, 3, 3, 3, 3]);
  const withoutVae = run('HunyuanVideo15SuperResolution', {
    ...inputs,
    start_image: full([1, 8, 8, 3], 0.5),
  });
  await expect(withoutVae).rejects.toThrow('needs the autoencoder of Hunyuan Video 1.5');
});
