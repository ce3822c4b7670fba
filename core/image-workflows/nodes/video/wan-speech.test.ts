/** Expected numbers follow from ComfyUI's `comfy_extras/nodes_wan.py`. */
import { describe, expect, it, test } from 'vitest';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { type FloatTensor, full, tensorOf, zeros } from '../../values/tensor.ts';
import { speechSteps, speechWindows } from './speech-features.ts';
import { wanAnimateNodes } from './wan-animate.ts';
import { wanSpeechNodes } from './wan-speech.ts';

/** Layers of one number for each step: 100 · layer + step. */
const counted = (layers: number, steps: number): FloatTensor =>
  tensorOf(
    [layers, 1, steps, 1],
    Float32Array.from({ length: layers * steps }, (_, at) => 100 * Math.floor(at / steps) + (at % steps)),
  );

describe('speech for S2V', () => {
  it('has four steps of 16 in a second for each frame', () => {
    // One second: 50 steps become 30, of which every 1.875th counts.
    const { shape, data } = speechSteps(
      { layers: counted(2, 50), samples: 16_000 },
      { frames: 2, offset: 0 },
    )!;
    expect(shape).toEqual([1, 2, 1, 8]);
    const steps = [0, 2, 4, 6, 8, 9, 11, 13].map((step) => (step * 49) / 29);
    for (const [at, step] of steps.entries()) {
      expect(data[at]).toBeCloseTo(step, 4);
      expect(data[8 + at]).toBeCloseTo(100 + step, 4);
    }
  });

  it('is silent after the end, and ends with its last part', () => {
    const output = { layers: counted(1, 50), samples: 16_000 };
    const { data } = speechSteps(output, { frames: 2, offset: 12 })!;
    expect([...data].map((value) => value > 0)).toEqual([true, true, true, true, false, false, false, false]);
    expect(speechSteps(output, { frames: 2, offset: 24 })).toBeUndefined();
  });
});

describe('speech for HuMo', () => {
  it('has the means of eight layers around each frame', () => {
    const { shape, data } = speechWindows({ layers: counted(33, 20), samples: 6400 }, 2);
    expect(shape).toEqual([1, 2, 8, 5, 1]);
    const at = (frame: number, place: number, feature: number) => data[(frame * 8 + place) * 5 + feature]!;
    // 20 steps become 10 frames: step 0, 19 / 9, …
    const step = (frame: number) => (frame * 19) / 9;
    expect([0, 1, 2, 3, 4].map((place) => at(0, place, 0))).toEqual([0, 0, 0, 0, 0]);
    expect(at(0, 5, 0)).toBeCloseTo(350 + step(0), 3);
    expect(at(0, 7, 1)).toBeCloseTo(1150 + step(2), 3);
    expect(at(0, 5, 4)).toBeCloseTo(3200, 3);
    expect(at(1, 0, 0)).toBe(0);
    expect(at(1, 1, 0)).toBeCloseTo(350 + step(0), 3);
    expect(at(1, 7, 3)).toBeCloseTo(2750 + step(6), 3);
  });

  it('hears as much as the audio has, and names the encoder', () => {
    const { data } = speechWindows({ layers: counted(33, 20), samples: 640 }, 1);
    expect(data.filter((value) => value !== 0)).toHaveLength(5);
    expect(() => speechWindows({ layers: counted(3, 20), samples: 640 }, 1)).toThrow('Whisper large v3');
  });
});

/** An autoencoder whose latents have the first color of each cell in all channels. */
const vae = {
  latentChannels: 16,
  scale: 8,
  encode: async ({ shape: [frames = 1, height = 1, width = 1, colors = 3], data }: FloatTensor) => {
    const sides = [Math.floor((frames - 1) / 4) + 1, height / 8, width / 8] as const;
    const result = zeros([1, 16, ...sides]);
    for (let channel = 0, at = 0; channel < 16; channel++)
      for (let frame = 0; frame < sides[0]; frame++)
        for (let row = 0; row < sides[1]; row++)
          for (let column = 0; column < sides[2]; column++) {
            const picture = Math.min(4 * frame, frames - 1);
            result.data[at++] = data[((picture * height + 8 * row) * width + 8 * column) * colors]!;
          }
    return result;
  },
};
const prompts = (): { positive: Conditioning; negative: Conditioning } => ({
  positive: [{ tensor: zeros([1, 1, 4]), options: {} }],
  negative: [{ tensor: zeros([1, 1, 4]), options: {} }],
});
const size = { width: 16, height: 16, length: 9, batch_size: 1 };

async function run(name: string, inputs: Record<string, unknown>) {
  const type = [...wanSpeechNodes, ...wanAnimateNodes].find((each) => each.name === name)!;
  const [positive, negative, latent, ...others] = (await type.run(
    { ...prompts(), vae, ...inputs },
    fileContext().context,
  )) as [Conditioning, Conditioning, { samples: FloatTensor }, ...unknown[]];
  return { positive: positive[0]!.options, negative: negative[0]!.options, latent: latent.samples, others };
}

const speech = { layers: counted(33, 50), samples: 16_000 };

test('S2V gets speech, a subject, a video to follow and the frames before', async () => {
  const { positive, negative, latent } = await run('WanSoundImageToVideo', {
    ...size,
    audio_encoder_output: speech,
    ref_image: full([1, 16, 16, 3], 0.25),
    control_video: full([5, 16, 16, 3], 0.75),
    ref_motion: full([2, 16, 16, 3], 1),
  });
  expect(latent.shape).toEqual([1, 16, 3, 2, 2]);
  expect(positive.guides!.audio!.shape).toEqual([1, 33, 1, 12]);
  expect(negative.guides!.audio!.data.every((value) => value === 0)).toBe(true);
  expect(positive.references!.latents![0]!.data[0]).toBe(0.25);
  expect([...positive.guides!.control!.data.slice(0, 8)]).toEqual(new Array(8).fill(0.75));
  // An empty frame in the scale of the autoencoder.
  expect(positive.guides!.control!.data[8]).toBeCloseTo(-0.7571, 4);
  const { motion } = positive.guides!;
  expect(motion!.shape).toEqual([1, 16, 19, 2, 2]);
  expect([motion!.data[0], motion!.data[75]]).toEqual([0.5, 1]);
});

test('S2V continues a latent with the speech after it', async () => {
  const { positive, latent } = await run('WanSoundImageToVideoExtend', {
    length: 5,
    video_latent: { samples: full([2, 16, 2, 2, 3], 7) },
    audio_encoder_output: speech,
  });
  expect(latent.shape).toEqual([2, 16, 2, 2, 3]);
  expect(positive.guides!.motion!.data[0]).toBe(7);
  expect(positive.guides!.audio!.data[0]).toBeCloseTo((15 * 49) / 29, 4);
  await expect(
    run('WanSoundImageToVideoExtend', { length: 5, video_latent: { samples: zeros([1, 4, 2, 2]) } }),
  ).rejects.toThrow('WanSoundImageToVideo');
});

test('HuMo gets speech and a subject, and its negative prompt neither', async () => {
  const ref_image = full([1, 16, 16, 3], 0.25);
  const { positive, negative } = await run('WanHuMoImageToVideo', {
    ...{ ...size, ref_image, audio_encoder_output: speech },
  });
  expect(positive.guides!.audio!.shape).toEqual([1, 3, 8, 5, 1]);
  expect(negative.guides!.audio!.data.some((value) => value !== 0)).toBe(false);
  expect(positive.references!.latents![0]!.data[0]).toBe(0.25);
  expect(negative.references!.latents![0]!.data[0]).toBe(0);
  const silent = await run('WanHuMoImageToVideo', size);
  expect(silent.positive.guides!.audio!.shape).toEqual([1, 3, 8, 5, 1280]);
  expect(silent.positive.references!.latents![0]!.shape).toEqual([1, 16, 1, 2, 2]);
});

test('Animate gets a character and the parts of a video', async () => {
  const frames = (count: number, value: number) => full([count, 16, 16, 3], value);
  const { positive, negative, latent, others } = await run('WanAnimateToVideo', {
    ...size,
    continue_motion_max_frames: 5,
    video_frame_offset: 7,
    reference_image: frames(1, 0.25),
    pose_video: frames(4, 0.125),
    face_video: frames(4, 1),
    background_video: frames(12, 0.75),
    character_mask: zeros([1, 16, 16]),
    continue_motion: frames(8, 0.875),
  });
  expect(latent.shape).toEqual([1, 16, 4, 2, 2]);
  // The character, five frames before, and the offset after the video: 7 - 5 + 9.
  expect(others).toEqual([1, 5, 11]);
  const { latent: frameLatents, mask } = positive.inpainting!;
  // The character, two frames that continue a video, and the background.
  expect([0, 4, 8, 12].map((at) => frameLatents!.data[at])).toEqual([0.25, 0.875, 0.875, 0.75]);
  expect(mask!.shape).toEqual([1, 4, 4, 2, 2]);
  const channels = [0, 1, 2, 3].map((channel) => [0, 1, 2, 3].map((at) => mask!.data[channel * 16 + at * 4]));
  // The mask counts from the fifth of nine frames on; those after them change.
  expect(channels).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 1],
    [0, 0, 0, 1],
    [0, 0, 0, 1],
  ]);
  const { pose, faces } = positive.guides!;
  expect([pose!.shape, pose!.data[0]]).toEqual([[1, 16, 3, 2, 2], 0.125]);
  expect([faces!.shape, faces!.data[0]]).toEqual([[1, 3, 2, 512, 512], 1]);
  expect(negative.guides!.faces!.data[0]).toBe(-1);
  expect(negative.guides!.pose!.data[0]).toBe(0.125);
});

test('Animate works without the parts that a video lacks', async () => {
  const { positive, others } = await run('WanAnimateToVideo', {
    ...{ ...size, continue_motion_max_frames: 5, video_frame_offset: 4 },
    pose_video: full([4, 16, 16, 3], 1),
  });
  expect(others).toEqual([1, 0, 13]);
  expect(positive.guides).toEqual({});
  expect(positive.inpainting!.latent!.data[0]).toBe(0);
  expect(positive.inpainting!.latent!.data[4]).toBe(0.5);
  expect(positive.inpainting!.mask!.data[4]).toBe(1);
});
