import { expect, test } from 'vitest';
import { runVideoNode as run, vaeOf } from '#test/support/image-workflows/video-nodes.ts';
import type { Latent } from '../../values/latent.ts';
import { full } from '../../values/tensor.ts';

test('a video of Cosmos Predict2 begins and ends with images', async () => {
  const [latent] = await run('CosmosPredict2ImageToVideoLatent', {
    start_image: full([1, 16, 32, 3], 1),
    end_image: full([1, 16, 32, 3], 0.25),
    batch_size: 2,
  });
  const { samples, noiseMask } = latent as Latent;
  expect(samples.shape).toEqual([2, 16, 3, 2, 4]);
  expect([samples.data[0], samples.data[16]]).toEqual([1, 0.25]);
  // The mean of the first channel: an empty latent.
  expect(samples.data[8]).toBeCloseTo(-0.7571, 4);
  expect([0, 8, 16].map((at) => noiseMask!.data[at])).toEqual([0, 1, 0]);
  expect(noiseMask!.shape).toEqual([2, 1, 3, 2, 4]);
});

test('nine frames of Cosmos 1 share two latents', async () => {
  const [latent] = await run('CosmosImageToVideoLatent', { start_image: full([1, 16, 32, 3], 1) });
  const { samples, noiseMask } = latent as Latent;
  expect(samples.shape).toEqual([1, 16, 2, 2, 4]);
  expect([samples.data[0], samples.data[8]]).toEqual([1, 0]);
  expect([...noiseMask!.data].filter((value) => value === 0)).toHaveLength(8);
});

test('without images, the latent is empty', async () => {
  const [latent] = await run('CosmosPredict2ImageToVideoLatent', { batch_size: 2 });
  expect(latent).toEqual({ samples: full([1, 16, 3, 2, 4], 0) });
});

test('an autoencoder of another model is refused', async () => {
  const image = { start_image: full([1, 16, 32, 3], 1), vae: vaeOf(48, 16) };
  await expect(run('CosmosImageToVideoLatent', image)).rejects.toThrow(
    'use the autoencoder of the same model',
  );
});
