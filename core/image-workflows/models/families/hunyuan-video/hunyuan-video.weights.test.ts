/** Hunyuan Video compared with diffusers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear, largestDifference, tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { loadNetwork, loadVae } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

test('videos of texts: tokens that are not seen have no part', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('hunyuan_video');
  await writeWeights(host.files, 'models/diffusion_models/hunyuan.safetensors', weights);
  const model = await loadNetwork(host, 'hunyuan.safetensors');
  const prompt = { tensor: inputs.text!, options: { pooled: inputs.pooled! } };
  const [plain] = await model.network.predict(inputs.x!, 700, [prompt], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const attentionMask = { shape: [1, 5], data: Float32Array.of(1, 1, 1, 0, 0) };
  const masked = { ...prompt, options: { ...prompt.options, attentionMask } };
  const results = await model.network.predict(inputs.x!, 700, [prompt, masked], never);
  expectNear(results[0], answers.plain!, TIME_ROUNDING);
  expect(results[1]!.data).not.toEqual(results[0]!.data);
});

test('videos of images: the first frames, and a mask of them', SLOW, async () => {
  const { weights } = await answeredWeights('hunyuan_video');
  const wide = { ...weights, 'img_in.proj.weight': zeros([128, 33, 1, 2, 2]) };
  await writeWeights(host.files, 'models/diffusion_models/i2v.safetensors', wide);
  const model = await loadNetwork(host, 'i2v.safetensors');
  const latent = { shape: [1, 16, 1, 2, 2], data: new Float32Array(64).fill(1) };
  const mask = { shape: [1, 1, 2, 2, 2], data: Float32Array.of(0, 0, 0, 0, 1, 1, 1, 1) };
  const shape = [1, 16, 2, 2, 2];
  const { concat } = model.imageInputs!({ inpainting: { latent, mask } }, { shape, seed: 0n });
  expect(concat!.shape).toEqual([1, 17, 2, 2, 2]);
  expect(concat!.data[0]).toBeCloseTo(0.476986, 6);
  expect([...concat!.data.slice(4, 8)]).toEqual([0, 0, 0, 0]);
  expect([...concat!.data.slice(128)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
});

test('videos whose first frame is given in place of noise', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('hunyuan/hunyuan_video_replaced');
  await writeWeights(host.files, 'models/diffusion_models/replaced.safetensors', weights);
  const model = await loadNetwork(host, 'replaced.safetensors');
  const plain = { tensor: inputs.text!, options: { pooled: inputs.pooled! } };
  const replaced = { ...plain, options: { ...plain.options, isFirstFrameGiven: true as const } };
  const results = await model.network.predict(inputs.x!, 700, [replaced, plain], never);
  const later = ({ shape: [batch = 1, channels = 1, frames = 1, ...sides], data }: FloatTensor) => {
    const size = data.length / (channels * frames);
    return {
      shape: [batch, channels, frames - 1, ...sides],
      data: data.filter((_, at) => Math.floor(at / size) % frames > 0),
    };
  };
  expectNear(later(results[0]!), answers['later frames']!, TIME_ROUNDING);
  expect(largestDifference(results[1]!, { ...results[0]!, data: [...results[0]!.data] })).toBeGreaterThan(
    1e-3,
  );
  const clean = zeros([1, 16, 3, 4, 6]);
  expect(model.cleanLatentAt!(clean, 0.5)).toBe(clean);
});

/** [1, 3, frames, height, width] from -1 to 1 as images. */
function images({ shape: [, , frames = 1, height = 1, width = 1], data }: FloatTensor): FloatTensor {
  const size = frames * height * width;
  const colors = Float32Array.from(
    { length: data.length },
    (_, at) => (data[(at % 3) * size + Math.floor(at / 3)]! + 1) / 2,
  );
  return { shape: [frames, height, width, 3], data: colors };
}

test('the autoencoder', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('hunyuan_vae');
  await writeWeights(host.files, 'models/vae/hunyuan.safetensors', weights);
  const vae = await loadVae(host, 'hunyuan.safetensors');
  expect([vae.latentChannels, vae.scale]).toEqual([4, 8]);
  expectNear(await vae.encode(images(inputs.video!), never), answers['video encoded']!);
  const decoded = await vae.decode(inputs.latents!, never, { isWhole: false });
  const expected = images(tensor(answers['latents decoded']!));
  expect(decoded.shape).toEqual(expected.shape);
  expect(largestDifference(decoded, { ...expected, data: [...expected.data] })).toBeLessThan(1e-5);
});
