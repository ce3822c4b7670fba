/** Mochi compared with diffusers (test/diffusers/scripts/mochi_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear, largestDifference, tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { loadNetwork, loadVae } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Angles of many turns and sinusoids of timesteps near 1000 differ in their last digits. */
const ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

test('videos of texts with and without hidden tokens', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('videos/mochi');
  await writeWeights(host.files, 'models/diffusion_models/mochi.safetensors', weights);
  const model = await loadNetwork(host, 'mochi.safetensors');
  const prompt = (seen: number) => ({
    tensor: inputs.text!,
    options: {
      attentionMask: { shape: [1, 5], data: Float32Array.from([0, 1, 2, 3, 4], (at) => +(at < seen)) },
    },
  });
  const predict = (noise: number, ...seen: number[]) =>
    model.network.predict(inputs.x!, noise, seen.map(prompt), never);
  expectNear((await predict(0.75, 5))[0]!, answers['all tokens']!, ROUNDING);
  const [few, all] = await predict(0.25, 3, 5);
  expectNear(few!, answers['three tokens']!, ROUNDING);
  expect(all!.data).not.toEqual(few!.data);
  expect(model.sampling.timestepOf(0.5)).toBe(0.5);
  expect([model.latent.channels, model.latent.isVideo]).toEqual([12, true]);
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

test('the autoencoder, and its decoder alone without a prefix', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('videos/mochi_vae');
  await writeWeights(host.files, 'models/vae/mochi.safetensors', weights);
  const vae = await loadVae(host, 'mochi.safetensors');
  expect([vae.latentChannels, vae.scale]).toEqual([12, 8]);
  expectNear(await vae.encode(images(inputs.video!), never), answers['video encoded']!, 2e-5);
  const expected = images(tensor(answers['latents decoded']!));
  const decoder = Object.entries(weights).filter(([name]) => name.startsWith('decoder.'));
  const alone = Object.fromEntries(decoder.map(([name, each]) => [name.slice('decoder.'.length), each]));
  await writeWeights(host.files, 'models/vae/decoder.safetensors', alone);
  for (const each of [vae, await loadVae(host, 'decoder.safetensors')]) {
    const decoded = await each.decode(inputs.latents!, never, { isWhole: false });
    expect(decoded.shape).toEqual(expected.shape);
    expect(largestDifference(decoded, { ...expected, data: [...expected.data] })).toBeLessThan(1e-5);
  }
});
