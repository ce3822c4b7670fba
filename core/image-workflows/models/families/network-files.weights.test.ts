/** Networks in files of weights compared with those of diffusers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { type AnsweredWeights, answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { loadNetwork } from '../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

async function open(name: string): Promise<AnsweredWeights & { model: DiffusionModel }> {
  const answered = await answeredWeights(name);
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, answered.weights);
  return { ...answered, model: await loadNetwork(host, `${name}.safetensors`) };
}

const negated = ({ shape, data }: FloatTensor): FloatTensor => ({ shape, data: data.map((value) => -value) });

test('Qwen-Image, with and without references', SLOW, async () => {
  const { model, inputs, answers } = await open('qwen_image');
  const [plain, edited] = await model.network.predict(
    inputs.x!,
    model.sampling.timestepOf(0.75),
    [
      { tensor: inputs.text!, options: {} },
      {
        tensor: inputs.text!,
        options: {},
        references: { latents: [inputs.reference!, inputs.second!], placement: 'index' },
      },
    ],
    never,
  );
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  expectNear(edited, answers.edited!, TIME_ROUNDING);
});

test(
  'the references of Qwen-Image are scaled by channel, and each has a layer of its own',
  SLOW,
  async () => {
    const { model } = await open('qwen_image');
    const latent = { shape: [1, 16, 1, 1, 1], data: new Float32Array(16).fill(1) };
    const { references } = model.imageInputs!({ references: { latents: [latent] } }, { shape: [], seed: 0n });
    expect(references?.placement).toBe('index');
    expect(references?.latents[0]?.shape).toEqual([1, 16, 1, 1]);
    expect(references?.latents[0]?.data[0]).toBeCloseTo((1 + 0.7571) / 2.8184, 6);
  },
);

test(
  'Qwen-Image-Edit 2511 sees its references without noise, when its mark or a node says so',
  SLOW,
  async () => {
    const { model, weights, inputs, answers } = await open('variants/qwen_edit_2511');
    const latents = [inputs.reference!, inputs.second!];
    const prompts = [
      { tensor: inputs.text!, options: {} },
      {
        tensor: inputs.text!,
        options: {},
        references: { latents, placement: 'index_timestep_zero' as const },
      },
    ];
    const [plain, edited] = await model.network.predict(inputs.x!, 0.75, prompts, never);
    expectNear(plain, answers.plain!, TIME_ROUNDING);
    expectNear(edited, answers.edited!, TIME_ROUNDING);
    const marked = { ...weights, __index_timestep_zero__: zeros([0]) };
    await writeWeights(host.files, 'models/diffusion_models/marked.safetensors', marked);
    const { imageInputs } = await loadNetwork(host, 'marked.safetensors');
    const reference = { latents: [zeros([1, 16, 2, 2])] };
    const placed = imageInputs!({ references: reference }, { shape: [], seed: 0n });
    expect(placed.references?.placement).toBe('index_timestep_zero');
  },
);

test('Qwen-Image-Layered: the tokens of all layers, and the image before them', SLOW, async () => {
  const { model, inputs, answers } = await open('variants/qwen_layered');
  const references = { latents: [inputs.reference!], placement: 'negative_index' as const };
  const prompt = { tensor: inputs.text!, options: {}, references };
  const [edited] = await model.network.predict(inputs.x!, 0.75, [prompt], never);
  expectNear(edited, answers.edited!, TIME_ROUNDING);
  const latent = zeros([1, 16, 2, 2]);
  const placed = model.imageInputs!({ references: { latents: [latent] } }, { shape: [], seed: 0n });
  expect(placed.references?.placement).toBe('negative_index');
});

test.each(['lumina2', 'z_image'])('%s, with prompts of several lengths', SLOW, async (name) => {
  const { model, inputs, answers } = await open(name);
  const prompts: NetworkPrompt[] = [
    { tensor: inputs.text!, options: {} },
    { tensor: negated(inputs.text!), options: {} },
    ...(inputs.long ? [{ tensor: inputs.long, options: {} }] : []),
  ];
  const timestep = model.sampling.timestepOf(0.75);
  const [plain, other, long] = await model.network.predict(inputs.x!, timestep, prompts, never);
  expectNear(plain, answers.plain!);
  expect(other!.data).not.toEqual(plain!.data);
  if (answers.long) expectNear(long, answers.long);
});

test('PixArt sees the size of the image', SLOW, async () => {
  const { model, inputs, answers } = await open('pixart_alpha');
  const sizes = { height: 512, width: 256 };
  const prompts = [{}, { sizes }].map((options) => ({ tensor: inputs.text!, options }));
  const [plain, sized] = await model.network.predict(inputs.x!, 100, prompts, never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  expectNear(sized, answers.sized!, TIME_ROUNDING);
});

test('HunyuanDiT takes the prompt by two encoders, and the size of the image', SLOW, async () => {
  const { model, inputs, answers } = await open('hunyuan_dit');
  const mask = (...data: number[]) => ({ shape: [1, data.length], data: Float32Array.from(data) });
  const options = {
    sizes: { height: 512, width: 256 },
    attentionMask: mask(1, 1, 1, 0, 0),
    secondText: { tensor: inputs.t5!, attentionMask: mask(1, 1, 0, 0, 0, 0) },
  };
  const { secondText: _, ...without } = options;
  const [plain] = await model.network.predict(inputs.x!, 100, [{ tensor: inputs.text!, options }], never);
  expectNear(plain, answers.plain!, TIME_ROUNDING);
  await expect(
    model.network.predict(inputs.x!, 100, [{ tensor: inputs.text!, options: without }], never),
  ).rejects.toThrow('this model needs prompts by two encoders');
});
