/** Autoencoders of Hunyuan Image 2.1 and Hunyuan Video 1.5 compared with diffusers (test/diffusers/scripts/hunyuan_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear, largestDifference, tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { loadVae } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();

/** [1, 3, frames, height, width] from -1 to 1 as images. */
function images({ shape, data }: FloatTensor): FloatTensor {
  const [height = 1, width = 1] = shape.slice(-2);
  const frames = shape.length === 5 ? shape[2]! : 1;
  const size = frames * height * width;
  const colors = Float32Array.from(
    { length: data.length },
    (_, at) => (data[(at % 3) * size + Math.floor(at / 3)]! + 1) / 2,
  );
  return { shape: [frames, height, width, 3], data: colors };
}

async function expectImages(found: Promise<FloatTensor>, answer: Parameters<typeof tensor>[0]) {
  const [decoded, expected] = [await found, images(tensor(answer))];
  expect(decoded.shape).toEqual(expected.shape);
  expect(largestDifference(decoded, { ...expected, data: [...expected.data] })).toBeLessThan(1e-5);
}

test('the autoencoder of Hunyuan Image 2.1', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('hunyuan/hunyuan_image_vae');
  await writeWeights(host.files, 'models/vae/hunyuan_image_2.1_vae.safetensors', weights);
  const vae = await loadVae(host, 'hunyuan_image_2.1_vae.safetensors');
  expect([vae.latentChannels, vae.scale]).toEqual([64, 32]);
  expectNear(await vae.encode(images(inputs.image!), never), answers['image encoded']!);
  await expectImages(vae.decode(inputs.latent!, never, { isWhole: false }), answers['latent decoded']!);
});

test('the autoencoder of its refiner and of Hunyuan Video 1.5: videos and images', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('hunyuan/hunyuan_refiner_vae');
  await writeWeights(host.files, 'models/vae/hunyuanvideo15_vae.safetensors', weights);
  const vae = await loadVae(host, 'hunyuanvideo15_vae.safetensors');
  expect([vae.latentChannels, vae.scale]).toEqual([32, 16]);
  expectNear(await vae.encode(images(inputs.video!), never), answers['video encoded']!);
  const decode = (latents: FloatTensor) => vae.decode(latents, never, { isWhole: false });
  await expectImages(decode(inputs.latents!), answers['latents decoded']!);
  const first = (video: FloatTensor, frames: number): FloatTensor => {
    const [batch = 1, channels = 1, , height = 1, width = 1] = video.shape;
    const size = height * width;
    const data = Float32Array.from({ length: channels * size }, (_, at) => {
      return video.data[Math.floor(at / size) * frames * size + (at % size)]!;
    });
    return { shape: [batch, channels, 1, height, width], data };
  };
  const image = answers['image encoded']!;
  const encoded = await vae.encode(images(first(inputs.video!, 5)), never);
  expectNear({ ...encoded, shape: image.shape }, image);
  await expectImages(decode(first(inputs.latents!, 2)), answers['latent decoded']!);
});
