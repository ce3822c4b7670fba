/** The networks of Stable Audio compared with diffusers and torch (test/diffusers/scripts/audio_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { full } from '../../../values/tensor.ts';
import { loadNetwork, loadVae } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();

test('the transformer, with the times of a prompt', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('audio/audio_transformer');
  await writeWeights(host.files, 'models/diffusion_models/audio.safetensors', weights);
  const { network, imageInputs, sampling } = await loadNetwork(host, 'audio.safetensors');
  expect(sampling.timestepOf(2)).toBeCloseTo(0.704833, 6);
  const run = { shape: inputs.x!.shape, seed: 0n };
  const times = imageInputs!({ timing: { secondsStart: 3, secondsTotal: 47 } }, run);
  const prompt = { tensor: inputs.text!, options: {}, ...times };
  const other = { ...prompt, ...imageInputs!({}, run) };
  const [plain, usual] = await network.predict(inputs.x!, 0.7, [prompt, other], never);
  expectNear(plain, answers.plain!, 5e-5);
  expect(usual!.data).not.toEqual(plain!.data);
});

test('a network without the layers for times names them', SLOW, async () => {
  const { weights } = await answeredWeights('audio/audio_transformer');
  const alone = Object.entries(weights).filter(([name]) => !name.startsWith('conditioner.'));
  await writeWeights(host.files, 'models/diffusion_models/alone.safetensors', Object.fromEntries(alone));
  await expect(loadNetwork(host, 'alone.safetensors')).rejects.toThrow('CheckpointLoaderSimple');
});

test('the autoencoder', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('audio/oobleck');
  await writeWeights(host.files, 'models/vae/audio.safetensors', weights);
  const { audio, decode, encode } = await loadVae(host, 'audio.safetensors');
  expectNear(await audio!.decode(inputs.latent!, never), answers.decoded!, 5e-5);
  const { data } = await audio!.encode(inputs.audio!, never);
  const cells = data.length / 64;
  const ends = Array.from({ length: 64 }, (_, channel) => [
    ...data.slice((channel + 1) * cells - 8, (channel + 1) * cells),
  ]);
  const { shape } = answers.encoded!;
  expectNear({ shape, data: Float32Array.from(ends.flat()) }, answers.encoded!, 5e-5);
  await expect(audio!.encode(full([1, 2, 2047], 0), never)).rejects.toThrow('one latent cell');
  await expect(audio!.decode(full([1, 4, 8, 8], 0), never)).rejects.toThrow('EmptyLatentAudio');
  await expect(decode(full([1, 64, 1, 1], 0), never)).rejects.toThrow('VAEDecodeAudio');
  await expect(encode(full([1, 8, 8, 3], 0), never)).rejects.toThrow('VAEEncodeAudio');
});
