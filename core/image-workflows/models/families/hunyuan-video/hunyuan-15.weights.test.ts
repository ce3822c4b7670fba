/** Hunyuan Image 2.1, its refiner and Hunyuan Video 1.5 compared with diffusers (test/diffusers/scripts/hunyuan_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { renameWeights, writeWeights } from '#test/support/model-files/weight-files.ts';
import { TorchGenerator } from '../../../sampling/random/torch-generator.ts';
import { type FloatTensor, full, zeros } from '../../../values/tensor.ts';
import { readAdapter } from '../../adapters/read-adapter.ts';
import { loadNetwork } from '../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

async function opened(name: string) {
  const read = await answeredWeights(`hunyuan/${name}`);
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, read.weights);
  return { ...read, model: await loadNetwork(host, `${name}.safetensors`) };
}

test('Hunyuan Image 2.1, with quoted texts and the next noise level', SLOW, async () => {
  const { inputs, answers, model } = await opened('hunyuan_image');
  expect([model.latent.channels, model.latent.scaleFactor, model.sampling.sigmaAt(0.5)]).toEqual([
    64,
    0.75289,
    5 / 6,
  ]);
  const prompt = { tensor: inputs.text!, options: {} };
  const sigmas = Float32Array.of(1, 0.7, 0.5, 0);
  const quoted = { ...prompt, options: { glyphs: inputs.glyphs! }, sigma: sigmas[1]!, sigmas };
  // A level between those of the run has no next one.
  const between = { ...prompt, sigma: 0.6, sigmas };
  const results = await model.network.predict(inputs.x!, 700, [prompt, quoted, between], never);
  expectNear(results[0], answers.plain!, TIME_ROUNDING);
  expectNear(results[1], answers.glyphs!, TIME_ROUNDING);
  expectNear(results[2], answers.plain!, TIME_ROUNDING);
});

test('the refiner of Hunyuan Image 2.1 takes pairs of frames', SLOW, async () => {
  const { inputs, answers, model } = await opened('hunyuan_image_refiner');
  expect(model.latent).toMatchObject({ channels: 64, scaleFactor: 1.03682, pairsFrames: true });
  const prompt = { tensor: inputs.text!, options: {}, concat: inputs.image! };
  const [plain] = await model.network.predict(inputs.x!, 700, [prompt], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
});

test('the latent to refine is in the input, with some noise', SLOW, async () => {
  const { model } = await opened('hunyuan_image_refiner');
  const latent = full([1, 32, 2, 3], 2);
  const run = { shape: [1, 64, 1, 2, 3], seed: 30n };
  const clean = model.imageInputs!({ inpainting: { latent, noise: 0 } }, run).concat!;
  expect(clean.shape).toEqual(run.shape);
  expect(clean.data[0]).toBeCloseTo(0.75 * 2 * 1.03682, 5);
  const noisy = model.imageInputs!({ inpainting: { latent, noise: 0.4 } }, run).concat!;
  const noise = new TorchGenerator(20n).normal(run.shape);
  expect(noisy.data[5]).toBeCloseTo(0.4 * noise.data[5]! + 0.6 * 2 * 1.03682, 5);
  expect(model.imageInputs!({}, run).concat!.data.every((value) => value === 0)).toBe(true);
  expect(() => model.imageInputs!({ inpainting: { latent: full([1, 16, 2, 3], 1) } }, run)).toThrow(
    'this model takes a latent of 32 channels with its prompts, and this one has 16',
  );
});

test(
  'Hunyuan Video 1.5, with and without quoted texts, an image and the next noise level',
  SLOW,
  async () => {
    const { inputs, answers, model } = await opened('hunyuan_video_15');
    expect([model.latent.channels, model.latent.scaleFactor, model.sampling.sigmaAt(0.5)]).toEqual([
      32,
      1.03682,
      7 / 8,
    ]);
    const plain = { tensor: inputs.text!, options: {}, concat: inputs.image! };
    const sigmas = Float32Array.of(0.7, 0.5, 0);
    const all = {
      ...{ ...plain, options: { glyphs: inputs.glyphs! }, vision: inputs.vision! },
      ...{ sigma: sigmas[0]!, sigmas },
    };
    const results = await model.network.predict(inputs.x!, 700, [plain, all], never);
    expectNear(results[0], answers.plain!, TIME_ROUNDING);
    expectNear(results[1], answers.all!, TIME_ROUNDING);
    const wrong = { ...plain, vision: zeros([1, 3, 5]) };
    await expect(model.network.predict(inputs.x!, 700, [wrong], never)).rejects.toThrow(
      'load sigclip_vision_patch14_384.safetensors',
    );
  },
);

test('the first frames of a video of Hunyuan Video 1.5', SLOW, async () => {
  const { inputs, model } = await opened('hunyuan_video_15');
  const latent = full([1, 32, 1, 2, 3], 1);
  const mask = { shape: [1, 1, 2, 2, 3], data: new Float32Array(12).fill(1, 6) };
  const run = { shape: inputs.x!.shape, seed: 0n };
  const vision = {
    lastHiddenState: inputs.vision!,
    penultimateHiddenState: undefined,
    imageEmbeds: undefined,
  };
  const found = model.imageInputs!({ inpainting: { latent, mask }, vision }, run);
  expect(found.vision).toBe(inputs.vision);
  expect(found.concat!.shape).toEqual([1, 33, 2, 2, 3]);
  expect(found.concat!.data[0]).toBeCloseTo(1.03682, 6);
  expect([...found.concat!.data.slice(6, 12)]).toEqual([0, 0, 0, 0, 0, 0]);
  expect([...found.concat!.data.slice(-12)]).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
  expect(model.imageInputs!({}, run).concat!.shape).toEqual([1, 33, 2, 2, 3]);
});

test('the distilled upscaler of Hunyuan Video 1.5 has its own levels and channels', SLOW, async () => {
  const { weights } = await answeredWeights('hunyuan/hunyuan_video_15');
  const wide = { ...weights, 'img_in.proj.weight': zeros([128, 98, 1, 1, 1]) };
  await writeWeights(host.files, 'models/diffusion_models/sr.safetensors', wide);
  const model = await loadNetwork(host, 'sr.safetensors');
  expect(model.sampling.sigmaAt(0.5)).toBeCloseTo(2 / 3, 6);
  const latent: FloatTensor = full([1, 66, 2, 2, 3], 4);
  const { concat } = model.imageInputs!(
    { inpainting: { latent, noise: 0 } },
    { shape: [1, 32, 2, 2, 3], seed: 0n },
  );
  expect(concat!.shape).toEqual([1, 66, 2, 2, 3]);
  const channel = (at: number) => concat!.data[at * 12];
  expect([channel(0), channel(32), channel(33), channel(64), channel(65)]).toEqual([4, 4, 3, 3, 4]);
});

test("files with Tencent's own names", SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('hunyuan/hunyuan_image_refiner');
  const own = renameWeights(weights, (name) =>
    name
      .replace(/_in\.in_layer\./, '_in.mlp.0.')
      .replace(/_in\.out_layer\./, '_in.mlp.2.')
      .replace('t_embedder.in_layer.', 't_embedder.mlp.0.')
      .replace('t_embedder.out_layer.', 't_embedder.mlp.2.')
      .replace('c_embedder.in_layer.', 'c_embedder.linear_1.')
      .replace('c_embedder.out_layer.', 'c_embedder.linear_2.')
      .replace(/_mod\.lin\./, '_mod.linear.')
      .replace('modulation.lin.', 'modulation.linear.')
      .replace(/_attn\.(qkv|proj)\./, '_attn_$1.')
      .replace(
        /_attn\.norm\.(query|key)_norm\.scale/,
        (_, kind) => `_attn_${kind[0] === 'q' ? 'q' : 'k'}_norm.weight`,
      )
      .replace(/(single_blocks\.0)\.norm\.query_norm\.scale/, '$1.q_norm.weight')
      .replace(/(single_blocks\.0)\.norm\.key_norm\.scale/, '$1.k_norm.weight')
      .replace(/mlp\.0\.(weight|bias)$/, (all, kind) =>
        name.includes('_in.') && !name.includes('refiner') ? all : `mlp.fc1.${kind}`,
      )
      .replace(/mlp\.2\.(weight|bias)$/, (all, kind) =>
        name.includes('_in.') && !name.includes('refiner') ? all : `mlp.fc2.${kind}`,
      ),
  );
  expect(Object.keys(own)).toContain('double_blocks.0.img_attn_qkv.weight');
  expect(Object.keys(own)).toContain('time_in.mlp.0.weight');
  await writeWeights(host.files, 'models/diffusion_models/tencent.safetensors', own);
  const model = await loadNetwork(host, 'tencent.safetensors');
  const prompt = { tensor: inputs.text!, options: {}, concat: inputs.image! };
  const [plain] = await model.network.predict(inputs.x!, 700, [prompt], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
});

test('a LoRA with the names of either layout', SLOW, async () => {
  const { inputs, model } = await opened('hunyuan_video_15');
  const prompt = { tensor: inputs.text!, options: {}, concat: inputs.image!, vision: inputs.vision! };
  const output = async (name: string, layer: string, outputs: number) => {
    const up = zeros([outputs, 1]);
    up.data.fill(0.5, 0, 128);
    await writeWeights(host.files, `models/loras/${name}.safetensors`, {
      [`diffusion_model.${layer}.lora_down.weight`]: full([1, 128], 0.1),
      [`diffusion_model.${layer}.lora_up.weight`]: up,
      'diffusion_model.vision_in.proj.3.lora_down.weight': full([1, 7], 0.1),
      'diffusion_model.vision_in.proj.3.lora_up.weight': full([128, 1], 0.1),
    });
    const network = await model.network.withAdapter!(await readAdapter(host, `${name}.safetensors`), 1);
    return (await network.predict(inputs.x!, 700, [prompt], never))[0]!;
  };
  const joined = await output('joined', 'double_blocks.0.img_attn.qkv', 384);
  expect(await output('apart', 'double_blocks.0.img_attn_q', 128)).toEqual(joined);
  const [plain] = await model.network.predict(inputs.x!, 700, [prompt], never);
  expect(joined.data).not.toEqual(plain!.data);
});
