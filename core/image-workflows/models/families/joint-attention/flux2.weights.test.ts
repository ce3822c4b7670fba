/** Flux 2 compared with diffusers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { encodeSafetensors } from '#core/image-workflows/nodes/latent/safetensors.ts';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear, largestDifference, tensor } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { readAdapter } from '../../adapters/read-adapter.ts';
import { loadNetwork, loadVae } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

const scaledBy = ({ shape, data }: FloatTensor, factor: number): FloatTensor => ({
  shape,
  data: data.map((value) => value * factor),
});

/** A network with the larger gates of the script. */
async function openFlux2(name: string) {
  const answered = await answeredWeights(name);
  const weights = Object.fromEntries(
    Object.entries(answered.weights).map(([key, value]) => [
      key,
      scaledBy(value, key.includes('modulation') ? 40 : 1),
    ]),
  );
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, weights);
  return { ...answered, weights, model: await loadNetwork(host, `${name}.safetensors`) };
}

test.each([
  ['flux2', { guidance: 2.5 }],
  ['flux2_klein', {}],
])('%s, with and without references: short texts follow zeros', SLOW, async (name, options) => {
  const { model, inputs, answers } = await openFlux2(name);
  const prompt = { tensor: inputs.text!, options };
  const latents = [inputs.reference!, inputs.second!];
  const edit = { ...prompt, references: { latents, placement: 'index' as const } };
  const timestep = model.sampling.timestepOf(0.75);
  const [plain, edited] = await model.network.predict(inputs.x!, timestep, [prompt, edit], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  expectNear(edited, answers.edited!, TIME_ROUNDING);
  const both = { shape: [2, 8, 3, 4], data: Float32Array.from([...inputs.x!.data, ...inputs.x!.data]) };
  const [pair] = await model.network.predict(both, timestep, [edit], never);
  expectNear({ shape: [1, 8, 3, 4], data: pair!.data.slice(96) }, answers.edited!, TIME_ROUNDING);
});

test('its latents are not scaled, its schedule is shifted, and its references have its channels', async () => {
  const { model } = await openFlux2('flux2');
  expect(model.latent).toMatchObject({ channels: 8, scaleFactor: 1, shiftFactor: 0 });
  // e^shift / (e^shift + 1 / t - 1) at t = 1 / 2
  expect(model.sampling.timestepOf(model.sampling.sigmaOf(0.5))).toBeCloseTo(
    Math.exp(2.02) / (Math.exp(2.02) + 1),
    3,
  );
  const wrong = { references: { latents: [{ shape: [1, 16, 2, 2], data: new Float32Array(64) }] } };
  expect(() => model.imageInputs!(wrong, { shape: [], seed: 0n })).toThrow("model's own VAE");
});

test('prompts of another encoder are refused', SLOW, async () => {
  const { model, inputs } = await openFlux2('flux2');
  const prompt = { tensor: { shape: [1, 2, 16], data: new Float32Array(32) }, options: {} };
  await expect(model.network.predict(inputs.x!, 0.5, [prompt], never)).rejects.toThrow(
    'this network takes prompts of 24 numbers',
  );
});

test('adapters in the names of the original and of diffusers', SLOW, async () => {
  const { model, weights, inputs, answers } = await openFlux2('flux2');
  const names = {
    'diffusion_model.single_blocks.1.linear1': 'single_blocks.1.linear1.weight',
    'transformer.single_transformer_blocks.1.attn.to_qkv_mlp_proj': 'single_blocks.1.linear1.weight',
  };
  for (const [index, [module, changed]] of Object.entries(names).entries()) {
    const [outputs = 0, columns = 0] = weights[changed]!.shape;
    const up = zeros([outputs, 1]);
    const down = zeros([1, columns]);
    up.data.set(up.data.map((_, row) => Math.sin(row)));
    down.data.set(down.data.map((_, column) => Math.cos(column)));
    const data = weights[changed]!.data.map(
      (value, at) => value + up.data[Math.floor(at / columns)]! * down.data[at % columns]!,
    );
    const merged = { ...weights, [changed]: { shape: [outputs, columns], data } };
    await writeWeights(host.files, 'models/diffusion_models/merged.safetensors', merged);
    const factors = { [`${module}.lora_A.weight`]: down, [`${module}.lora_B.weight`]: up };
    await host.files.write(`models/loras/${index}.safetensors`, encodeSafetensors(factors, {}));
    const adapter = await readAdapter(host, `${index}.safetensors`);
    const prompts = [{ tensor: inputs.text!, options: { guidance: 2.5 } }];
    const adapted = await model.network.withAdapter!(adapter, 1);
    const [output] = await adapted.predict(inputs.x!, 0.75, prompts, never);
    const { network } = await loadNetwork(host, 'merged.safetensors');
    const [expected] = await network.predict(inputs.x!, 0.75, prompts, never);
    expectNear(output, { shape: [...expected!.shape], data: [...expected!.data] }, TIME_ROUNDING);
    expect(largestDifference(output!, answers.plain!)).toBeGreaterThan(1e-3);
  }
});

/** [1, 3, height, width] from -1 to 1 as an image. */
function image({ shape: [, , height = 1, width = 1], data }: FloatTensor): FloatTensor {
  const size = height * width;
  const colors = Float32Array.from(
    { length: data.length },
    (_, at) => (data[(at % 3) * size + Math.floor(at / 3)]! + 1) / 2,
  );
  return { shape: [1, height, width, 3], data: colors };
}

test('the autoencoder standardizes squares of cells', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('flux2_vae');
  const variance = weights['bn.running_var']!;
  const positive = { ...variance, data: variance.data.map(Math.abs) };
  await writeWeights(host.files, 'models/vae/flux2.safetensors', { ...weights, 'bn.running_var': positive });
  const vae = await loadVae(host, 'flux2.safetensors');
  expect([vae.latentChannels, vae.scale]).toEqual([16, 4]);
  expectNear(await vae.encode(image(inputs.image!), never), answers.encoded!, 1e-4);
  const decoded = await vae.decode(inputs.latent!, never, { isWhole: false });
  const expected = image(tensor(answers.decoded!));
  expect(decoded.shape).toEqual(expected.shape);
  expect(largestDifference(decoded, { ...expected, data: [...expected.data] })).toBeLessThan(1e-5);
});
