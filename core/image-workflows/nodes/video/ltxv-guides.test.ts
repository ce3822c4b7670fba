import { expect, test } from 'vitest';
import { optionsOf as options, runVideoNode, vaeOf } from '#test/support/image-workflows/video-nodes.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';

/** Channels are few, so that latents can be read. */
const vae = {
  ...vaeOf(2, 32),
  encode: async ({ shape: [frames = 1, height = 1, width = 1] }: FloatTensor) =>
    full([1, 2, Math.floor((frames - 1) / 8) + 1, height / 32, width / 32], 5),
};
const run = (name: string, values: Record<string, unknown>) => runVideoNode(name, { vae, ...values });
const empty = (): Latent => ({ samples: zeros([1, 2, 5, 1, 2]) });
const frames = ({ samples }: Latent) =>
  Array.from({ length: samples.shape[2]! }, (_, frame) => samples.data[frame * 2]);
const places = (prompt: unknown) => [...options(prompt).guides!.keyFrames!.places.data];

test('an image stands at a frame of the video, next to it', async () => {
  const image = full([1, 64, 64, 3], 1);
  const values = { latent: empty(), image, frame_idx: -1, strength: 0.75 };
  const [positive, negative, latent] = await run('LTXVAddGuide', values);
  // Five frames of a latent are 33 of a video, and the last one has the number 32.
  expect(places(positive)).toEqual([32, 0, 0, 32, 0, 32]);
  expect(places(negative)).toEqual(places(positive));
  expect(frames(latent as Latent)).toEqual([0, 0, 0, 0, 0, 5]);
  expect([...(latent as Latent).noiseMask!.data]).toEqual([1, 1, 1, 1, 1, 0.25]);
});

test('further frames of a guide replace those of the latent', async () => {
  const image = full([23, 32, 64, 3], 1);
  const [positive, negative, latent] = await run('LTXVAddGuide', {
    latent: empty(),
    image,
    frame_idx: 12,
    strength: 1,
  });
  // 17 frames fill 3 of the latent, and a video begins at a multiple of 8 plus 1.
  expect(places(positive).filter((_, at) => at % 3 === 0)).toEqual([9, 9, 17, 17]);
  expect(frames(latent as Latent)).toEqual([0, 0, 0, 0, 5, 5, 5]);
  const again = { positive, negative, latent, image: full([1, 32, 64, 3], 1), frame_idx: 0, strength: 0.5 };
  const [both, , longer] = await run('LTXVAddGuide', again);
  expect(places(both).filter((_, at) => at % 3 === 0)).toEqual([9, 9, 17, 17, 0, 0]);
  expect([...(longer as Latent).noiseMask!.data]).toEqual([1, 1, 1, 1, 0, 0, 0, 0.5]);
  const [cropped, , rest] = await run('LTXVCropGuides', { positive: both, negative: both, latent: longer });
  expect(options(cropped).guides!.keyFrames).toBeUndefined();
  expect(frames(rest as Latent)).toEqual([0, 0, 0, 0, 5]);
  expect((rest as Latent).noiseMask!.shape).toEqual([1, 1, 5, 1, 1]);
});

test('a guide at the start has the places of a first frame, and a long one is refused', async () => {
  const values = { latent: empty(), image: full([9, 32, 64, 3], 1), frame_idx: 0, strength: 1 };
  const [positive] = await run('LTXVAddGuide', values);
  expect(places(positive).filter((_, at) => at % 3 === 0)).toEqual([0, 0, 1, 1]);
  await expect(run('LTXVAddGuide', { ...values, frame_idx: 33 })).rejects.toThrow(
    'the guide fills 2 frames of the latent from frame 5 on, and the latent has 5',
  );
});

test('latents without guides stay', async () => {
  const latent = empty();
  const [, , rest] = await run('LTXVCropGuides', { latent });
  expect((rest as Latent).samples).toBe(latent.samples);
});
