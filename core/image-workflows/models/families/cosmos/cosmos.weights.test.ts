/** Cosmos 1 and Cosmos Predict2 compared with diffusers (test/diffusers/scripts/cosmos_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { full, zeros } from '../../../values/tensor.ts';
import { loadNetwork } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();

async function open(name: string) {
  const answered = await answeredWeights(`videos/${name}`);
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, answered.weights);
  return { ...answered, model: await loadNetwork(host, `${name}.safetensors`) };
}

test('Cosmos 1, at two frame rates', SLOW, async () => {
  const { model, inputs, answers } = await open('cosmos1');
  const prompt = { tensor: inputs.text!, options: {} };
  const slow = { ...prompt, options: { timing: { frameRate: 12 } } };
  const results = await model.network.predict(inputs.x!, 0.7, [prompt, slow], never);
  expectNear(results[0], answers.plain!);
  expectNear(results[1], answers.slow!);
  expect(model.sampling.timestepOf(2)).toBeCloseTo(0.25 * Math.log(2), 6);
});

test('Cosmos Predict2, with and without a given frame', SLOW, async () => {
  const { model, inputs, answers } = await open('cosmos_predict2');
  const prompt = { tensor: inputs.text!, options: {} };
  const [plain] = await model.network.predict(inputs.x!, 0.7, [prompt], never);
  expectNear(plain, answers.plain!);
  const mask = full([1, 1, 3, 4, 6], 1);
  mask.data.fill(0, 0, 24);
  const { noiseMask } = model.imageInputs!({}, { shape: inputs.x!.shape, seed: 0n, mask });
  const masked = { ...prompt, noiseMask: noiseMask! };
  const [partial] = await model.network.predict(inputs.x!, 0.7, [masked], never);
  expectNear(partial, answers['first frame given']!);
});

test('the network sees given frames as they are, whatever the noise level is', SLOW, async () => {
  for (const [name, expected] of [
    ['cosmos1', 2],
    ['cosmos_predict2', 1],
  ] as const) {
    const { model } = await open(name);
    const clean = { ...zeros([1]), data: Float32Array.of(1) };
    for (const sigma of [0.01, 3])
      expect(model.sampling.input(sigma, model.cleanLatentAt!(clean, sigma)).data[0]).toBeCloseTo(
        expected,
        5,
      );
  }
});
