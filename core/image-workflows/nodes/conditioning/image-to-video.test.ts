import { expect, it } from 'vitest';
import type { Conditioning } from '../../values/conditioning.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full, tensorOf } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { imageToVideoNodes } from './image-to-video.ts';

const embedding = { shape: [1, 2], data: Float32Array.of(5, 6) };
const clip_vision = {
  encode: async () => ({
    imageEmbeds: embedding,
    lastHiddenState: embedding,
    penultimateHiddenState: undefined,
  }),
};
/** The size and the first number of the encoded image. */
let encoded: FloatTensor;
const vae = {
  latentChannels: 4,
  scale: 8,
  async encode(pixels: FloatTensor) {
    encoded = pixels;
    return full([1, 4, 2, 4], 3);
  },
};

async function run(name: string, values: Record<string, unknown>) {
  const type = imageToVideoNodes.find((each) => each.name === name)!;
  const init_image = full([1, 40, 40, 4], 0.25);
  const inputs = { clip_vision, init_image, vae, width: 32, height: 16, ...values };
  const context = { signal: new AbortController().signal } as NodeContext;
  return (await type.run(inputs, context)) as [Conditioning, Conditioning, Latent];
}

it('SVD_img2vid_Conditioning: the image as an embedding and as latents, and how it moves', async () => {
  const [positive, negative, latent] = await run('SVD_img2vid_Conditioning', {
    video_frames: 3,
    motion_bucket_id: 50,
    fps: 7,
    augmentation_level: 0,
  });
  expect([...encoded.data.slice(0, 1), ...encoded.shape]).toEqual([0.25, 1, 16, 32, 3]);
  const video = { motion: 50, frameRate: 7, augmentation: 0 };
  expect(positive[0]).toEqual({
    tensor: tensorOf([1, 1, 2], embedding.data),
    options: { video, inpainting: { latent: full([1, 4, 2, 4], 3) } },
  });
  expect(negative[0]).toEqual({
    tensor: full([1, 1, 2], 0),
    options: { video, inpainting: { latent: full([1, 4, 2, 4], 0) } },
  });
  expect(latent.samples.shape).toEqual([3, 4, 2, 4]);
});

it('noise on the image is repeatable', async () => {
  const values = { video_frames: 1, motion_bucket_id: 1, fps: 1, augmentation_level: 0.1 };
  await run('SVD_img2vid_Conditioning', values);
  const first = encoded;
  await run('SVD_img2vid_Conditioning', values);
  expect(encoded).toEqual(first);
  expect(first.data[0]).not.toBe(0.25);
});

it('SV3D_Conditioning: a full turn', async () => {
  const [positive] = await run('SV3D_Conditioning', { video_frames: 5, elevation: 10 });
  expect(positive[0]!.options.video).toEqual({
    elevations: [10, 10, 10, 10, 10],
    azimuths: [0, 90, 180, 270, 360],
  });
});

it('StableZero123: the camera follows the embedding, for each view', async () => {
  const values = { batch_size: 2, elevation: 30, azimuth: 90 };
  const [view, , single] = await run('StableZero123_Conditioning', values);
  const camera = (elevation: number, azimuth: number) =>
    [5, 6, (-elevation * Math.PI) / 180, Math.sin(azimuth), Math.cos(azimuth), Math.PI / 2].map((value) =>
      expect.closeTo(value, 5),
    );
  expect([...view[0]!.tensor.data]).toEqual(camera(30, Math.PI / 2));
  expect([single.samples.shape, single.batchIndex]).toEqual([[2, 4, 2, 4], undefined]);
  const steps = { elevation_batch_increment: 10, azimuth_batch_increment: 90 };
  const [both, empty, batch] = await run('StableZero123_Conditioning_Batched', { ...values, ...steps });
  expect(both[0]!.tensor.shape).toEqual([2, 1, 6]);
  expect([...both[0]!.tensor.data.slice(6)]).toEqual(camera(40, Math.PI));
  expect(empty[0]!.tensor.data.every((value) => value === 0)).toBe(true);
  expect(batch.batchIndex).toEqual([0, 0]);
});
