/** The autoencoder of Wan 2.1 compared with diffusers' (test/diffusers/scripts/weight_files.py). */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { type AnsweredWeights, answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { largestDifference, tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { imageRaster, planesToRaster, rasterToImage, rasterToPlanes } from '../../../images/rasters.ts';
import { map } from '../../../sampling/tensor-math.ts';
import type { VaeModel } from '../../../values/image-models.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { loadVae } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();
let network: AnsweredWeights;
let vae: VaeModel;

beforeAll(async () => {
  network = await answeredWeights('videos/wan_vae');
  await writeWeights(host.files, 'models/vae/wan.safetensors', network.weights);
  vae = await loadVae(host, 'wan.safetensors');
});

/** [1, 3, frames, height, width] from -1 to 1 as the images that an autoencoder takes. */
function images({ shape: [, , frames = 1, height = 1, width = 1], data }: FloatTensor): FloatTensor {
  const cells = height * width;
  const planes = Float32Array.from(data, (_, at) => {
    const [frame, channel] = [Math.floor(at / (3 * cells)), Math.floor(at / cells) % 3];
    return (data[(channel * frames + frame) * cells + (at % cells)]! + 1) / 2;
  });
  return rasterToImage(planesToRaster({ shape: [frames, 3, height, width], data: planes }));
}

test('an image and a video become latents', SLOW, async () => {
  expect([vae.latentChannels, vae.scale]).toEqual([4, 4]);
  const image = await vae.encode(images(network.inputs.image!), never);
  expect(image.shape).toEqual([1, 4, 2, 3]);
  expect(largestDifference(image, network.answers['image encoded']!)).toBeLessThan(1e-5);
  const video = await vae.encode(images(network.inputs.video!), never);
  expect(video.shape).toEqual([1, 4, 3, 2, 2]);
  expect(largestDifference(video, network.answers['video encoded']!)).toBeLessThan(1e-5);
});

test('frames that fill no step of the latent are left out', SLOW, async () => {
  const all = images(network.inputs.video!);
  const size = all.data.length / 5;
  const four = await vae.encode(
    { shape: [4, ...all.shape.slice(1)], data: all.data.slice(0, 4 * size) },
    never,
  );
  const three = await vae.encode(
    { shape: [3, ...all.shape.slice(1)], data: all.data.slice(0, 3 * size) },
    never,
  );
  expect(four).toEqual(three);
});

test('latents become an image and a video', SLOW, async () => {
  const clean = (decoded: FloatTensor) => map((value) => value * 2 - 1, rasterToPlanes(imageRaster(decoded)));
  const image = clean(await vae.decode(network.inputs.latent!, never));
  expect(image.shape).toEqual([1, 3, 8, 12]);
  expect(largestDifference(image, network.answers['latent decoded']!)).toBeLessThan(1e-5);
  const decoded = await vae.decode(network.inputs.latents!, never);
  expect(decoded.shape).toEqual([5, 8, 8, 3]);
  const { data: expected } = network.answers['latents decoded']!;
  const actual = clean(decoded).data;
  for (const [at, value] of actual.entries()) {
    const [frame, channel, cell] = [Math.floor(at / 192), Math.floor(at / 64) % 3, at % 64];
    expect(Math.abs(value - expected[(channel * 5 + frame) * 64 + cell]!)).toBeLessThan(1e-5);
  }
});

test('an autoencoder of layers, with the opacity of each pixel', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('variants/qwen_layered_vae');
  await writeWeights(host.files, 'models/vae/layers.safetensors', weights);
  const layers = await loadVae(host, 'layers.safetensors');
  const { shape, data } = inputs.image!;
  const planes = { shape: [1, 4, ...shape.slice(3)], data: data.map((value) => (value + 1) / 2) };
  const encoded = await layers.encode(rasterToImage(planesToRaster(planes)), never);
  expect(largestDifference(encoded, answers['image encoded']!)).toBeLessThan(1e-5);
  const decoded = await layers.decode(inputs.latent!, never);
  expect(decoded.shape).toEqual([1, 8, 12, 4]);
  const pixels = map((value) => value * 2 - 1, rasterToPlanes(imageRaster(decoded)));
  expect(largestDifference(pixels, answers['latent decoded']!)).toBeLessThan(1e-5);
});

test('the autoencoder of Wan 2.2, which takes patches of pixels', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('videos/wan22_vae');
  await writeWeights(host.files, 'models/vae/wan22.safetensors', weights);
  const wan22 = await loadVae(host, 'wan22.safetensors');
  expect([wan22.latentChannels, wan22.scale]).toEqual([6, 8]);
  for (const name of ['image', 'video']) {
    const encoded = await wan22.encode(images(inputs[name]!), never);
    expect(largestDifference(encoded, answers[`${name} encoded`]!)).toBeLessThan(1e-5);
  }
  for (const name of ['latent', 'latents']) {
    const decoded = await wan22.decode(inputs[name]!, never);
    const expected = images(tensor(answers[`${name} decoded`]!));
    expect(decoded.shape).toEqual(expected.shape);
    expect(largestDifference(decoded, { ...expected, data: [...expected.data] })).toBeLessThan(1e-5);
  }
});

test('another number of channels, and a file without an encoder, are refused', SLOW, async () => {
  await expect(vae.decode({ shape: [1, 16, 1, 1], data: new Float32Array(16) }, never)).rejects.toThrow(
    "this model's latents have 4 channels; these have 16",
  );
  const decoding = Object.entries(network.weights).filter(([name]) => !name.startsWith('encoder.'));
  await writeWeights(host.files, 'models/vae/decoder.safetensors', Object.fromEntries(decoding));
  const half = await loadVae(host, 'decoder.safetensors');
  await expect(half.encode(images(network.inputs.image!), never)).rejects.toThrow(
    'it can only decode images',
  );
});
