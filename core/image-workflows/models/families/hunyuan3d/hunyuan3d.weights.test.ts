/** Hunyuan3D 2 compared with diffusers, transformers and torch (test/diffusers/scripts/shape_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { zeros } from '../../../values/tensor.ts';
import { loadNetwork, loadVae } from '../../checkpoints/standalone-parts.ts';
import { loadClipVision } from '../../vision/clip-vision.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

test('the network', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('shapes/hunyuan3d');
  await writeWeights(host.files, 'models/diffusion_models/shapes.safetensors', weights);
  const model = await loadNetwork(host, 'shapes.safetensors');
  expect(model.latent.channels).toBe(4);
  expect(model.sampling.timestepOf(0.7)).toBeCloseTo(0.7, 6);
  const prompt = { tensor: inputs.seen!, options: {} };
  const [plain] = await model.network.predict(inputs.x!, 0.7, [prompt], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
});

test('the decoder of shapes, in parts of the cube', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('shapes/shape_vae');
  await writeWeights(host.files, 'models/vae/shapes.safetensors', weights);
  const { shapes, decode } = await loadVae(host, 'shapes.safetensors');
  const shares: number[] = [];
  const options = {
    resolution: 3,
    pointsAtOnce: 40,
    onProgress: async (share: number) => void shares.push(share),
  };
  expectNear(await shapes!.decode(inputs.latent!, options, never), answers.densities!);
  expect(shares).toEqual([40 / 64, 1]);
  await expect(shapes!.decode(zeros([1, 4, 2, 2]), options, never)).rejects.toThrow('EmptyLatentHunyuan3Dv2');
  await expect(decode(zeros([1, 4, 2, 2]), never)).rejects.toThrow('VAEDecodeHunyuan3D');
  await expect(shapes!.decode(inputs.latent!, options, AbortSignal.abort(new Error('over')))).rejects.toThrow(
    'over',
  );
});

test.each(['dino', 'dino_gated'])('the vision encoder (%s)', SLOW, async (name) => {
  const { weights, inputs, answers } = await answeredWeights(`shapes/${name}`);
  await writeWeights(host.files, `models/clip_vision/${name}.safetensors`, weights);
  const vision = await loadClipVision(host, `${name}.safetensors`);
  const { shape, data } = inputs.image!;
  const image = { shape, data: data.map((value) => value + 0.5) };
  const seen = await vision.encode(image, 'none', never);
  expectNear(seen.lastHiddenState, answers.last!);
  expectNear(seen.imageEmbeds, answers.pooled!);
  expectNear(seen.penultimateHiddenState, answers.penultimate!);
});
