/** Workflows with unCLIP and the x4 upscaler, on tiny models. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeImage } from '#core/image-codecs/decode.ts';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { writeTinyDiffusion } from '#test/support/model-files/tiny-diffusion.ts';
import {
  writeImageEncoder,
  writeLabeledUnet,
  writeSmallerDecoder,
} from '#test/support/model-files/tiny-image-encoder.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { anyOf } from '../kernel/inputs.ts';
import { node } from '../kernel/node-type.ts';

const SLOW = { timeout: 60_000 };
let server: ReturnType<typeof imageServer>;
let remove: () => Promise<void>;
let latentSamples: FloatTensor | undefined;

const probe = node({
  name: 'Probe',
  category: 'test',
  module: 'test',
  isOutput: true,
  inputs: { latent: anyOf('LATENT') },
  outputs: [],
  run({ latent }) {
    latentSamples = (latent as { samples: FloatTensor }).samples;
    return [];
  },
});

beforeAll(async () => {
  const onnx = await onnxHost();
  remove = onnx.remove;
  const { files } = onnx.host;
  const variations = 'models/checkpoints/variations';
  await writeTinyDiffusion(files, variations, 'StableUnCLIPImg2ImgPipeline');
  await writeLabeledUnet(files, `${variations}/unet`, { width: 6 });
  await writeImageEncoder(files, `${variations}/image_encoder`);
  await writeTinyDiffusion(files, 'models/checkpoints/tiny');
  const upscaler = 'models/checkpoints/upscaler';
  await writeTinyDiffusion(files, upscaler, 'StableDiffusionUpscalePipeline');
  await writeLabeledUnet(files, `${upscaler}/unet`, { channels: 7 });
  await writeSmallerDecoder(files, `${upscaler}/vae_decoder`);
  server = imageServer({ host: { ...onnx.host, imageCodecs: nodeCodecs }, customNodes: [probe] });
});
afterAll(async () => {
  await server.close();
  await remove();
});

const link = (id: string, slot = 0) => [id, slot];
const ksampler = (model: unknown, positive: unknown, negative: unknown, latent_image: unknown) => ({
  class_type: 'KSampler',
  inputs: {
    model,
    positive,
    negative,
    latent_image,
    seed: 7,
    steps: 2,
    cfg: 2,
    sampler_name: 'euler',
    scheduler: 'normal',
    denoise: 1,
  },
});
const text = (clip: unknown) => ({ class_type: 'CLIPTextEncode', inputs: { text: 'a cat', clip } });
const gray = { class_type: 'EmptyImage', inputs: { width: 24, height: 16, batch_size: 1, color: 8421504 } };
const failureOf = ({ status }: { status: { messages: [string, Record<string, unknown>][] } }) =>
  status.messages.find(([name]) => name === 'execution_error')?.[1].exception_message;

/** Runs a workflow that varies a gray image with a strength. */
async function varyImage(strength: number, checkpoint = 'variations') {
  latentSamples = undefined;
  const { entry } = await server.run({
    model: { class_type: 'unCLIPCheckpointLoader', inputs: { ckpt_name: checkpoint } },
    text: text(link('model', 1)),
    image: gray,
    encode: {
      class_type: 'CLIPVisionEncode',
      inputs: { clip_vision: link('model', 3), image: link('image'), crop: 'center' },
    },
    vary: {
      class_type: 'unCLIPConditioning',
      inputs: {
        conditioning: link('text'),
        clip_vision_output: link('encode'),
        strength,
        noise_augmentation: 0.1,
      },
    },
    empty: { class_type: 'EmptyLatentImage', inputs: { width: 32, height: 32, batch_size: 1 } },
    sample: ksampler(link('model'), link('vary'), link('text'), link('empty')),
    probe: { class_type: 'Probe', inputs: { latent: link('sample') } },
  });
  return entry;
}

test('an image changes the result of an unCLIP model by its strength', SLOW, async () => {
  const means: number[] = [];
  for (const strength of [0, 1, 2]) {
    expect(failureOf(await varyImage(strength))).toBeUndefined();
    means.push(latentSamples!.data.reduce((sum, value) => sum + value, 0) / latentSamples!.data.length);
  }
  // The network adds the mean of the image's embedding to the noise, so all cells change by the same amount.
  const [none, once, twice] = means as [number, number, number];
  expect(Math.abs(once - none)).toBeGreaterThan(0.1);
  expect((twice - none) / (once - none)).toBeCloseTo(2, 3);
  expect(failureOf(await varyImage(1, 'tiny'))).toContain('image_encoder/model.onnx');
});

test('the x4 upscaler enlarges an image with noise four times', SLOW, async () => {
  const run = async (noise_augmentation: number) => {
    const { entry } = await server.run({
      model: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'upscaler' } },
      text: text(link('model', 1)),
      image: gray,
      small: {
        class_type: 'SD_4XUpscale_Conditioning',
        inputs: {
          images: link('image'),
          positive: link('text'),
          negative: link('text'),
          scale_ratio: 4,
          noise_augmentation,
        },
      },
      sample: ksampler(link('model'), link('small'), link('small', 1), link('small', 2)),
      decode: { class_type: 'VAEDecode', inputs: { samples: link('sample'), vae: link('model', 2) } },
      save: { class_type: 'SaveImage', inputs: { images: link('decode'), filename_prefix: 'large' } },
      probe: { class_type: 'Probe', inputs: { latent: link('sample') } },
    });
    expect(failureOf(entry)).toBeUndefined();
    return {
      latent: latentSamples!,
      file: (entry.outputs.save!.images![0] as { filename: string }).filename,
    };
  };
  const plain = await run(0);
  expect(plain.latent.shape).toEqual([1, 4, 16, 24]);
  const { frames } = await decodeImage(await server.host.files.read(`output/${plain.file}`), nodeCodecs);
  expect([frames[0]!.width, frames[0]!.height]).toEqual([96, 64]);
  // The effect of the noise differs between cells. It is the noise of the seed minus 10.
  const { latent } = await run(0.5);
  const noise = new TorchGenerator(BigInt.asUintN(64, 7n - 10n)).normal([1, 3, 16, 24]);
  const change = (cell: number) => latent.data[cell]! - plain.latent.data[cell]!;
  const mean = (cell: number) => [0, 384, 768].reduce((sum, plane) => sum + noise.data[plane + cell]!, 0) / 3;
  const ratio = (change(5) - change(0)) / (mean(5) - mean(0));
  expect(Math.abs(ratio)).toBeGreaterThan(0.1);
  for (const cell of [1, 100, 383])
    expect(change(cell) - change(0)).toBeCloseTo(ratio * (mean(cell) - mean(0)), 2);
});
