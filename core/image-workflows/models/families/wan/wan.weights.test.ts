/** The networks of Wan compared with those of diffusers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { type AnsweredWeights, answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { basicGuider } from '../../../sampling/guidance/guiders.ts';
import { zeroNoiseSource } from '../../../sampling/initial-noise.ts';
import { sample } from '../../../sampling/sample.ts';
import type { DiffusionModel } from '../../../values/diffusion-model.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { loadNetwork } from '../../checkpoints/standalone-parts.ts';
import { skipLayers } from '../../patches/skip-layers.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

async function open(name: string): Promise<AnsweredWeights & { model: DiffusionModel }> {
  const answered = await answeredWeights(name);
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, answered.weights);
  return { ...answered, model: await loadNetwork(host, `${name}.safetensors`) };
}

/** 1 from this frame on. */
function maskFrom(frame: number, [, , frames = 1, height = 1, width = 1]: readonly number[]): FloatTensor {
  const mask = zeros([1, 1, frames, height, width]);
  mask.data.fill(1, frame * height * width);
  return mask;
}

test('videos of texts, and frames without noise', SLOW, async () => {
  const { model, inputs, answers } = await open('videos/wan_t2v');
  const x = inputs.x!;
  const prompt = { tensor: inputs.text!, options: {} };
  const [plain] = await model.network.predict(x, 700, [prompt], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const noiseMask = maskFrom(1, x.shape);
  const [partial] = await model.network.predict(x, 700, [{ ...prompt, noiseMask }], never);
  expectNear(partial, answers['first frame given']!, TIME_ROUNDING);
  await expect(
    model.network.predict(x, 700, [{ ...prompt, concat: zeros([1, 2, 3, 4, 6]) }], never),
  ).rejects.toThrow('this model takes 4 channels: those of the latent are 4, and its prompt adds 2');
});

test('a skipped block passes its stream on', SLOW, async () => {
  const { model, weights, inputs } = await open('videos/wan_t2v');
  const skip = skipLayers({ double: [0], single: [] });
  const network = await model.network.withPatch!(skip, never);
  const prompt = { tensor: inputs.text!, options: {} };
  const without = { ...prompt, activePatches: { switches: new Set([skip.key]) } };
  const [plain, skipped] = await network.predict(inputs.x!, 700, [prompt, without], never);
  // The same network has the second block alone.
  const rest = Object.entries(weights).filter(([name]) => !name.startsWith('blocks.0.'));
  const renamed = rest.map(([name, tensor]) => [name.replace('blocks.1.', 'blocks.0.'), tensor]);
  await writeWeights(host.files, 'models/diffusion_models/short.safetensors', Object.fromEntries(renamed));
  const short = await loadNetwork(host, 'short.safetensors');
  expect((await short.network.predict(inputs.x!, 700, [prompt], never))[0]).toEqual(skipped);
  expect((await model.network.predict(inputs.x!, 700, [prompt], never))[0]).toEqual(plain);
});

test('a sampler makes videos of latents of any number of frames, and of images', SLOW, async () => {
  const { model, inputs } = await open('videos/wan_t2v');
  const latent = { channels: 4, scaleFactor: 1, shiftFactor: 0, isVideo: true as const };
  const run = (shape: number[]) =>
    sample({
      guider: basicGuider({ ...model, latent }, [{ tensor: inputs.text!, options: {} }]),
      noise: zeroNoiseSource,
      sampler: { name: 'one step', sampler: async (x, { denoise }) => denoise(x, 1) },
      sigmas: Float32Array.of(1, 0),
      latent: { samples: zeros(shape) },
      signal: never,
    });
  expect((await run([1, 4, 3, 4, 6])).samples.shape).toEqual([1, 4, 3, 4, 6]);
  expect((await run([1, 4, 4, 6])).samples.shape).toEqual([1, 4, 1, 4, 6]);
});

test('videos of images: further channels, and tokens of a vision encoder', SLOW, async () => {
  const { model, inputs, answers } = await open('videos/wan_i2v');
  const prompt = { tensor: inputs.text!, options: {}, concat: inputs.concat! };
  const [plain] = await model.network.predict(inputs.x!, 700, [{ ...prompt, vision: inputs.seen! }], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const [blind] = await model.network.predict(inputs.x!, 700, [prompt], never);
  expect(blind!.data.every(Number.isFinite)).toBe(true);
  expect(blind!.data).not.toEqual(plain!.data);
  await expect(
    model.network.predict(inputs.x!, 700, [{ ...prompt, vision: zeros([1, 6, 4]) }], never),
  ).rejects.toThrow('use CLIP ViT-H');
});

test('the image of a prompt becomes a mask of its frames and scaled latents', SLOW, async () => {
  const { model } = await open('videos/wan_i2v');
  const image = { shape: [1, 4, 2, 2, 2], data: new Float32Array(32).fill(1) };
  const mask = maskFrom(1, [1, 1, 3, 2, 2]);
  const shape = [1, 4, 3, 2, 2];
  const { concat } = model.imageInputs!({ inpainting: { latent: image, mask } }, { shape, seed: 0n });
  expect(concat!.shape).toEqual([1, 8, 3, 2, 2]);
  // Each of the four channels of the mask: the first frame is given.
  expect([...concat!.data.slice(36, 48)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  // The first channel of the image: two frames, and an empty one.
  const value = Math.fround((1 + 0.7571) / 2.8184);
  expect(concat!.data[48]).toBeCloseTo(value, 6);
  expect([...concat!.data.slice(56, 60)]).toEqual([0, 0, 0, 0]);
  const { concat: none } = model.imageInputs!({}, { shape, seed: 0n });
  expect(none).toEqual(zeros([1, 8, 3, 2, 2]));
});
