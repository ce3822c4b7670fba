/** OmniGen2 compared with the blocks of diffusers (test/diffusers/scripts/omnigen2_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { zeros } from '../../../values/tensor.ts';
import { loadNetwork } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();
const { weights, inputs, answers } = await answeredWeights('lumina/omnigen2');
await writeWeights(host.files, 'models/diffusion_models/omnigen2.safetensors', weights);

test('a prompt without and with reference images', SLOW, async () => {
  const { network } = await loadNetwork(host, 'omnigen2.safetensors');
  const prompt = { tensor: inputs.text!, options: {} };
  const references = { latents: [inputs.first!, inputs.second!], placement: 'index' as const };
  const results = await network.predict(inputs.x!, 0.7, [prompt, { ...prompt, references }], never);
  expectNear(results[0], answers.plain!, TIME_ROUNDING);
  expectNear(results[1], answers.edited!, TIME_ROUNDING);
});

test('more images than the network has marks for are refused', SLOW, async () => {
  const { network } = await loadNetwork(host, 'omnigen2.safetensors');
  const references = { latents: new Array(6).fill(zeros([1, 4, 2, 2])), placement: 'index' as const };
  await expect(
    network.predict(inputs.x!, 0.7, [{ tensor: inputs.text!, options: {}, references }], never),
  ).rejects.toThrow('up to 5 reference images');
});
