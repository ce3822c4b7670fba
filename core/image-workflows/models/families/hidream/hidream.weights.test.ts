/** HiDream compared with diffusers (test/diffusers/scripts/language_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { loadNetwork } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();
const { weights, inputs, answers } = await answeredWeights('hidream');
await writeWeights(host.files, 'models/diffusion_models/hidream.safetensors', weights);

const model = await loadNetwork(host, 'hidream.safetensors');
const options = { pooled: inputs.pooled!, languageLayers: inputs.layers! };
const prompt = { tensor: inputs.t5!, options };

test('squares and other images, with the last layer of Llama in more than one block', SLOW, async () => {
  const [plain] = await model.network.predict(inputs.x!, 700, [prompt], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  const [wide] = await model.network.predict(inputs.wide!, 700, [prompt], never);
  expectNear(wide, answers.wide!, TIME_ROUNDING);
});

test('an image to be edited stands to the right of the latent', SLOW, async () => {
  const concat = { shape: inputs.x!.shape, data: inputs.x!.data.map((value) => value / 2) };
  const results = await model.network.predict(inputs.x!, 700, [{ ...prompt, concat }, prompt], never);
  expectNear(results[0], answers.edited!, TIME_ROUNDING);
  expectNear(results[1], answers.plain!, TIME_ROUNDING);
});

test('images of InstructPixToPixConditioning, in the scale and size of the latent', async () => {
  const latent = { shape: [1, 16, 2, 2], data: new Float32Array(64).fill(1.1159) };
  const run = { shape: [1, 16, 4, 4], seed: 0n };
  const { concat } = model.imageInputs!({ inpainting: { latent } }, run);
  expect(concat!.shape).toEqual([1, 16, 4, 4]);
  expect(concat!.data[0]).toBeCloseTo(0.3611, 5);
  expect(model.imageInputs!({}, run)).toEqual({});
});

test('prompts of other encoders are refused', SLOW, async () => {
  const { languageLayers: _, ...others } = options;
  await expect(
    model.network.predict(inputs.x!, 700, [{ ...prompt, options: others }], never),
  ).rejects.toThrow('encode them with the text encoders of QuadrupleCLIPLoader');
});
