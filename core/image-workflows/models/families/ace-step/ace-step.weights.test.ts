/** The networks of ACE-Step compared with diffusers and torch (test/diffusers/scripts/ace_step_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { renameWeights, writeWeights } from '#test/support/model-files/weight-files.ts';
import { type FloatTensor, full } from '../../../values/tensor.ts';
import { loadNetwork, loadVae } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();

const lyrics = (tokens: number[], strength = 1) => ({
  lyrics: { tokens: { shape: [1, tokens.length], data: Float32Array.from(tokens) }, strength },
});

test('the transformer, with lyrics of several lengths and strengths', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('audio/ace_transformer');
  await writeWeights(host.files, 'models/diffusion_models/ace.safetensors', weights);
  const { network, sampling, family } = await loadNetwork(host, 'ace.safetensors');
  expect(family?.name).toBe('ACE-Step');
  expect(sampling.timestepOf(0.7)).toBeCloseTo(700, 3);
  const tensor = inputs.text!;
  const song = [261, 3, 4, 2];
  const [plain, weak, short] = await network.predict(
    inputs.x!,
    700,
    [
      { tensor, options: lyrics(song) },
      { tensor, options: lyrics(song, 0.25) },
      { tensor, options: lyrics([261]) },
    ],
    never,
  );
  expectNear(plain, answers.plain!, 1e-4);
  expectNear(weak, answers.weak!, 1e-4);
  expectNear(short, answers['one token']!, 1e-4);
  await expect(network.predict(inputs.x!, 700, [{ tensor, options: {} }], never)).rejects.toThrow(
    'TextEncodeAceStepAudio',
  );
  await expect(
    network.predict(full([1, 64, 5], 0), 700, [{ tensor, options: lyrics([261]) }], never),
  ).rejects.toThrow('EmptyAceStepLatentAudio');
});

/** As in the script: smaller weights lose the input on the way. */
const louder = (weights: Record<string, FloatTensor>): Record<string, FloatTensor> =>
  Object.fromEntries(
    Object.entries(weights).map(([name, { shape, data }]) => {
      const factor = name.endsWith('weight_g') ? 5 : shape.length > 1 ? 3 : 1;
      return [name, { shape, data: data.map((value) => factor * value) }];
    }),
  );

test('the autoencoder with its vocoder', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('audio/ace_autoencoder');
  await writeWeights(host.files, 'models/vae/ace.safetensors', louder(weights));
  const { audio, latentChannels } = await loadVae(host, 'ace.safetensors');
  expect(latentChannels).toBe(8);
  expectNear(await audio!.decode(inputs.latent!, never), answers.decoded!, 5e-5);
  expectNear(await audio!.encode(inputs.audio!, never), answers.encoded!, 5e-5);
  await expect(audio!.decode(full([1, 64, 2], 0), never)).rejects.toThrow('EmptyAceStepLatentAudio');
  await expect(audio!.encode(full([1, 2, 4095], 0), never)).rejects.toThrow('one latent cell');
});

test('a file with the newer names of lengths and directions', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('audio/ace_autoencoder');
  const renamed = renameWeights(louder(weights), (name) =>
    name
      .replace('weight_g', 'parametrizations.weight.original0')
      .replace('weight_v', 'parametrizations.weight.original1'),
  );
  await writeWeights(host.files, 'models/vae/newer.safetensors', renamed);
  const { audio } = await loadVae(host, 'newer.safetensors');
  expectNear(await audio!.decode(inputs.latent!, never), answers.decoded!, 5e-5);
});
