/** The networks of ACE-Step 1.5 compared with diffusers (test/diffusers/scripts/ace_step_15_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import type { MusicOptions } from '../../../../values/network.ts';
import { type FloatTensor, full, zeros } from '../../../../values/tensor.ts';
import { readAdapter } from '../../../adapters/read-adapter.ts';
import { loadNetwork, loadVae } from '../../../checkpoints/standalone-parts.ts';

const SLOW = { timeout: 120_000 };
/** Sinusoids of timesteps near 1000 differ in their last digits. */
const TIME_ROUNDING = 1e-4;
const never = new AbortController().signal;
const host = await weightsHost();

/** As in the script: smaller weights lose the input on the way. */
const louder = (weights: Record<string, FloatTensor>): Record<string, FloatTensor> =>
  Object.fromEntries(
    Object.entries(weights).map(([name, { shape, data }]) => {
      const factor = (shape.length > 1 ? 3 : 1) * (name === 'tokenizer.quantizer.project_in.weight' ? 8 : 1);
      return [name, { shape, data: data.map((value) => factor * value) }];
    }),
  );

async function open(name: string, change = (weights: Record<string, FloatTensor>) => weights) {
  const { weights, inputs, answers } = await answeredWeights('audio/ace_step_15');
  await writeWeights(host.files, `models/diffusion_models/${name}.safetensors`, change(louder(weights)));
  const model = await loadNetwork(host, `${name}.safetensors`);
  const prompt = (music: MusicOptions = {}, tensor = inputs.text!) => ({
    tensor,
    options: { music: { lyrics: inputs.lyrics!, ...music } },
  });
  return { model, inputs, answers, prompt };
}

test('music of a description and lyrics, of codes, and after other audio', SLOW, async () => {
  const { model, inputs, answers, prompt } = await open('ace15');
  expect(model.family?.name).toBe('ACE-Step 1.5');
  expect(model.sampling.timestepOf(0.7)).toBeCloseTo(0.7, 6);
  const prompts = [
    prompt(),
    prompt({ codes: [41_234] }),
    prompt({ timbre: inputs.timbre! }),
    prompt({}, zeros(inputs.text!.shape)),
  ];
  const results = await model.network.predict(inputs.x!, 0.7, prompts, never);
  for (const [at, name] of ['plain', 'codes', 'timbre', 'without prompt'].entries())
    expectNear(results[at], answers[name]!, TIME_ROUNDING);
});

test('tokens that are far away are not seen in every second block', SLOW, async () => {
  const { model, inputs, answers, prompt } = await open('window');
  const [long] = await model.network.predict(inputs.long!, 0.4, [prompt()], never);
  const { shape } = answers['two rows of long']!;
  expect(long!.shape).toEqual([1, 64, 280]);
  expectNear({ shape, data: long!.data.subarray(0, 2 * 280) }, answers['two rows of long']!, TIME_ROUNDING);
});

test('a prompt is converted once for all steps, and again for latents of another length', SLOW, async () => {
  const { model, inputs, prompt } = await open('once');
  const current = prompt();
  const [first] = await model.network.predict(inputs.x!, 0.7, [current], never);
  const longer = full([1, 64, 10], 0.5);
  const [other] = await model.network.predict(longer, 0.7, [current], never);
  expect(other!.shape).toEqual([1, 64, 10]);
  const [again] = await model.network.predict(inputs.x!, 0.7, [current], never);
  expect(again!.data).toEqual(first!.data);
});

test('an adapter in the names of its trainer changes the transformer', SLOW, async () => {
  const { model, inputs, prompt } = await open('adapted');
  const factors = weightsFor({
    'base_model.model.layers.0.cross_attn.q_proj.lora_A.weight': [2, 32],
    'base_model.model.layers.0.cross_attn.q_proj.lora_B.weight': [32, 2],
  });
  await writeWeights(host.files, 'models/loras/music.safetensors', factors);
  const adapted = await model.network.withAdapter!(await readAdapter(host, 'music.safetensors'), 4);
  const current = prompt();
  const [plain] = await model.network.predict(inputs.x!, 0.7, [current], never);
  const [changed] = await adapted.predict(inputs.x!, 0.7, [current], never);
  expect(changed!.data).not.toEqual(plain!.data);
});

test('latents, prompts and audio that do not fit are refused', SLOW, async () => {
  const { model, inputs, prompt } = await open('refused', ({ null_condition_emb: _, ...weights }) => weights);
  const run = (x: FloatTensor, ...prompts: Parameters<typeof model.network.predict>[2]) =>
    model.network.predict(x, 0.7, prompts, never);
  await expect(run(zeros([1, 8, 16, 4]), prompt())).rejects.toThrow('EmptyAceStep1.5LatentAudio');
  await expect(run(inputs.x!, { tensor: inputs.text!, options: {} })).rejects.toThrow(
    'TextEncodeAceStepAudio1.5',
  );
  await expect(run(inputs.x!, prompt({ timbre: zeros([1, 8, 16, 4]) }))).rejects.toThrow(
    'the VAE of ACE-Step 1.5',
  );
  await expect(run(inputs.x!, prompt({}, zeros(inputs.text!.shape)))).rejects.toThrow('null_condition_emb');
});

test('the autoencoder, with the older names of lengths and directions', SLOW, async () => {
  const { weights, inputs, answers } = await answeredWeights('audio/ace_vae_15');
  await writeWeights(host.files, 'models/vae/ace15.safetensors', weights);
  const { audio, latentChannels, scale } = await loadVae(host, 'ace15.safetensors');
  expect([latentChannels, scale, audio!.sampleRate]).toEqual([64, 1920, 48_000]);
  expectNear(await audio!.encode(inputs.audio!, never), answers.encoded!, 5e-5);
  const decoded = await audio!.decode(inputs.latent!, never);
  expect(decoded.shape).toEqual([1, 2, 3840]);
  const end = [0, 1].flatMap((channel) => [
    ...decoded.data.subarray((channel + 1) * 3840 - 200, (channel + 1) * 3840),
  ]);
  expectNear({ shape: [1, 2, 200], data: Float32Array.from(end) }, answers.end!, 5e-5);
  await expect(audio!.decode(zeros([1, 8, 16, 2]), never)).rejects.toThrow('EmptyAceStep1.5LatentAudio');
});
