import { expect, test } from 'vitest';
import {
  optionsOf as options,
  runVideoNode as run,
  vaeOf,
} from '#test/support/image-workflows/video-nodes.ts';
import type { Latent } from '../../values/latent.ts';
import { full, zeros } from '../../values/tensor.ts';

test('the first frames are those of the image, and the others are gray', async () => {
  const [positive, negative, latent] = await run('WanImageToVideo', { start_image: full([2, 16, 32, 3], 1) });
  expect((latent as Latent).samples.shape).toEqual([1, 16, 3, 2, 4]);
  const { latent: image, mask } = options(positive).inpainting!;
  expect(image!.shape).toEqual([1, 16, 3, 2, 4]);
  expect([0, 8, 16].map((at) => image!.data[at])).toEqual([1, 0.5, 0.5]);
  expect(mask!.shape).toEqual([1, 1, 3, 2, 4]);
  expect([0, 8, 16].map((at) => mask!.data[at])).toEqual([0, 1, 1]);
  expect(options(negative).inpainting).toEqual(options(positive).inpainting);
});

test('prompts stay as they are without images', async () => {
  const [positive] = await run('WanImageToVideo', {});
  expect(options(positive)).toEqual({});
});

test('first and last frames have a mask of four channels', async () => {
  const state = (value: number) => ({
    imageEmbeds: undefined,
    lastHiddenState: zeros([1, 2, 3]),
    penultimateHiddenState: full([1, 2, 3], value),
  });
  const [positive] = await run('WanFirstLastFrameToVideo', {
    start_image: full([1, 16, 32, 3], 1),
    end_image: full([1, 16, 32, 3], 0),
    clip_vision_start_image: state(1),
    clip_vision_end_image: state(2),
  });
  const { inpainting, vision } = options(positive);
  expect(inpainting!.mask!.shape).toEqual([1, 4, 3, 2, 4]);
  const rows = Array.from({ length: 12 }, (_, at) => inpainting!.mask!.data[at * 8]);
  // The first frame of the latent is that of the image; the last of the four of the last one, too.
  expect(rows).toEqual([0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]);
  expect([...vision!.penultimateHiddenState!.data]).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
});

test('a control video comes before the first frame', async () => {
  const [positive] = await run('WanFunControlToVideo', {
    start_image: full([1, 16, 32, 3], 1),
    control_video: full([9, 16, 32, 3], 0.25),
  });
  const { latent, mask } = options(positive).inpainting!;
  expect(latent!.shape).toEqual([1, 32, 3, 2, 4]);
  expect([0, 16].map((at) => latent!.data[at])).toEqual([0.25, 0.25]);
  expect(latent!.data[16 * 24]).toBe(1);
  expect(latent!.data[16 * 24 + 8]).toBeCloseTo(-0.7571, 4);
  expect(mask).toBeUndefined();
});

test('the latent of Wan 2.2 has no noise in the frames of the image', async () => {
  const [latent] = await run('Wan22ImageToVideoLatent', {
    vae: vaeOf(48, 16),
    start_image: full([1, 16, 32, 3], 1),
    batch_size: 2,
  });
  const { samples, noiseMask } = latent as Latent;
  expect(samples.shape).toEqual([2, 48, 3, 1, 2]);
  expect([samples.data[0], samples.data[1]]).toEqual([1, 1]);
  expect(samples.data[2]).toBeCloseTo(-0.2289, 4);
  expect([...noiseMask!.data.slice(0, 6)]).toEqual([0, 0, 1, 1, 1, 1]);
  await expect(run('Wan22ImageToVideoLatent', { start_image: full([1, 16, 32, 3], 1) })).rejects.toThrow(
    'use the autoencoder of the same model',
  );
});

test('latents of LTX Video begin with those of the image, with as much noise as its strength leaves', async () => {
  const image = full([1, 64, 64, 3], 1);
  const size = { width: 64, height: 64, length: 17, batch_size: 2, strength: 0.75 };
  const [positive, , latent] = await run('LTXVImgToVideo', { ...size, vae: vaeOf(128, 32), image });
  const { samples, noiseMask } = latent as Latent;
  expect(samples.shape).toEqual([2, 128, 3, 2, 2]);
  expect([0, 4, 12].map((at) => samples.data[at])).toEqual([1, 0, 1]);
  expect(noiseMask!.shape).toEqual([2, 1, 3, 1, 1]);
  expect([...noiseMask!.data]).toEqual([0.25, 1, 1, 0.25, 1, 1]);
  expect(options(positive)).toEqual({});
});

test('the first frames of Hunyuan Video have a mask', async () => {
  const start_image = full([1, 16, 32, 3], 1);
  const [positive, latent] = await run('HunyuanImageToVideo', { start_image, guidance_type: 'v1 (concat)' });
  expect((latent as Latent).samples.shape).toEqual([1, 16, 3, 2, 4]);
  const { latent: image, mask } = options(positive).inpainting!;
  expect(image!.shape).toEqual([1, 16, 1, 2, 4]);
  expect([0, 8].map((at) => mask!.data[at])).toEqual([0, 1]);
  await expect(run('HunyuanImageToVideo', { start_image, guidance_type: 'custom' })).rejects.toThrow(
    'models of the kind custom do not run here yet: use v1 (concat)',
  );
});
