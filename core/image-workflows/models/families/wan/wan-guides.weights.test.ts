/** Networks of Wan that follow videos, images and cameras, compared with diffusers (test/diffusers/scripts/wan_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { concatAlong, concatChannels } from '../../../values/batches.ts';
import type { NetworkPrompt } from '../../../values/network.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { loadNetwork } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

async function open(name: string) {
  const answered = await answeredWeights(name);
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, answered.weights);
  const model = await loadNetwork(host, `${name}.safetensors`);
  const { x, text } = answered.inputs;
  const predict = (...all: NetworkPrompt['videoInputs'][]) =>
    model.network.predict(
      x!,
      700,
      all.map((videoInputs) => ({ tensor: text!, options: {}, ...(videoInputs && { videoInputs }) })),
      never,
    );
  return { ...answered, model, predict };
}

const numbers = (...values: number[]): FloatTensor => ({
  shape: [values.length],
  data: Float32Array.from(values),
});

test('VACE follows the video of a prompt as much as its strength says', SLOW, async () => {
  const { inputs, answers, predict } = await open('videos/wan_vace');
  const vace = concatChannels(inputs.frames!, inputs.mask!);
  const [plain] = await predict(undefined);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const [followed, again] = await predict(
    { vace, vaceStrengths: numbers(0.7) },
    { vace, vaceStrengths: numbers(0) },
  );
  expectNear(followed, answers.followed!, TIME_ROUNDING);
  expect(again!.data).not.toEqual(followed!.data);
});

test('several videos of a prompt add up', SLOW, async () => {
  const { inputs, answers, predict } = await open('videos/wan_vace');
  const guide = concatChannels(inputs.frames!, inputs.mask!);
  const [both] = await predict({ vace: concatAlong(0, guide, guide), vaceStrengths: numbers(0.5, 0.2) });
  expectNear(both, answers.followed!, TIME_ROUNDING);
  const [muted] = await predict({
    vace: concatAlong(0, zeros(guide.shape), guide),
    vaceStrengths: numbers(0, 0.7),
  });
  expectNear(muted, answers.followed!, TIME_ROUNDING);
});

test('a video of another size is refused', SLOW, async () => {
  const { predict } = await open('videos/wan_vace');
  await expect(predict({ vace: zeros([1, 72, 2, 4, 6]), vaceStrengths: numbers(1) })).rejects.toThrow(
    'the video of WanVaceToVideo has 2 x 4 x 6 cells, and the latent 3 x 4 x 6',
  );
});

test('the guides of a prompt become scaled inputs', SLOW, async () => {
  const { model } = await open('videos/wan_vace');
  const latent = { shape: [1, 16, 1, 1, 1], data: new Float32Array(16).fill(1) };
  const video = { frames: concatChannels(latent, latent), mask: zeros([1, 64, 1, 1, 1]) };
  const vace = [
    { ...video, strength: 0.5 },
    { ...video, strength: 2 },
  ];
  const options = { guides: { vace, following: latent }, references: { latents: [latent] } };
  const { videoInputs = {} } = model.imageInputs!(options, { shape: [1, 16, 1, 1, 1], seed: 0n });
  const value = Math.fround((1 + 0.7571) / 2.8184);
  expect(videoInputs.vace!.shape).toEqual([2, 96, 1, 1, 1]);
  for (const at of [0, 16, 96, 112]) expect(videoInputs.vace!.data[at]).toBeCloseTo(value, 6);
  expect([...videoInputs.vaceStrengths!.data]).toEqual([0.5, 2]);
  expect(videoInputs.following!.data[0]).toBeCloseTo(value, 6);
  expect(videoInputs.reference!.data[0]).toBeCloseTo(value, 6);
});

test('the rays of a camera change each frame', SLOW, async () => {
  const { inputs, answers, predict } = await open('videos/wan_camera');
  const [plain] = await predict(undefined);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const [followed] = await predict({ camera: inputs.rays! });
  expectNear(followed, answers.followed!, TIME_ROUNDING);
  await expect(predict({ camera: zeros([1, 2, 3, 16, 48]) })).rejects.toThrow('WanCameraEmbedding');
});

test('an image is a frame before the video, or follows it', SLOW, async () => {
  const { inputs, answers, predict } = await open('videos/wan_reference');
  const [plain] = await predict(undefined);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const [seen] = await predict({ reference: inputs.image! });
  expectNear(seen, answers.seen!, TIME_ROUNDING);
  const [after, other] = await predict({ following: inputs.image! }, { following: zeros([1, 4, 1, 4, 6]) });
  expectNear(after, answers.after!, TIME_ROUNDING);
  expect(other!.data).not.toEqual(after!.data);
  await expect(predict({ following: zeros([1, 4, 1, 2, 6]) })).rejects.toThrow('the images after the video');
});
