import { expect, test } from 'vitest';
import { stableDiffusion } from '#test/support/image-workflows/analytic-sampling.ts';
import type { DiffusionModel } from '../values/diffusion-model.ts';
import type { Guider } from '../values/guider.ts';
import { zeros } from '../values/tensor.ts';
import { seededNoiseSource } from './initial-noise.ts';
import { sample } from './sample.ts';

const statistics = { means: [1, -1], deviations: [2, 4] };
const model = {
  sampling: stableDiffusion,
  latent: { channels: 2, scaleFactor: 1, shiftFactor: 0, statistics },
  guidance: { preCfg: [], postCfg: [] },
} as unknown as DiffusionModel;
const seen: (readonly number[])[] = [];
const guider: Guider = {
  model,
  open: () => ({
    denoise: async (x) => {
      seen.push(x.shape);
      return x;
    },
    denoiseBoth: async (x) => ({ denoised: x, uncond: x }),
  }),
};
const run = (shape: number[], own: DiffusionModel = model) =>
  sample({
    guider: { ...guider, model: own },
    noise: seededNoiseSource(1n),
    sampler: { name: 'once', sampler: async (x, { denoise, sigmas }) => denoise(x, sigmas[0]!) },
    sigmas: Float32Array.of(2, 0),
    latent: { samples: zeros(shape) },
    signal: new AbortController().signal,
  });

test('a video of one frame is sampled as an image', async () => {
  const [image, video] = [await run([1, 2, 3, 4]), await run([1, 2, 1, 3, 4])];
  expect(seen).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 4],
  ]);
  expect(video.samples).toEqual({ shape: [1, 2, 1, 3, 4], data: image.samples.data });
});

test('results have the means and deviations of their channels', async () => {
  const { data } = (await run([1, 2, 1, 1])).samples;
  const noise = seededNoiseSource(1n).generate({ samples: zeros([1, 2, 1, 1]) }).data;
  expect(data[0]).toBeCloseTo(2 * noise[0]! * 2 + 1, 4);
  expect(data[1]).toBeCloseTo(2 * noise[1]! * 4 - 1, 4);
});

test('a video is refused, unless its frames can be layers of an image', async () => {
  await expect(run([1, 2, 7, 3, 4])).rejects.toThrow('a video of 7 frames: use a length of 1');
  const layered = { ...model, latent: { ...model.latent, hasLayers: true as const } };
  expect((await run([1, 2, 7, 3, 4], layered)).samples.shape).toEqual([1, 2, 7, 3, 4]);
});
