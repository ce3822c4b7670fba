/**
 * Transformers from files in their original layout, compared with those of diffusers on the same weights
 * (test/diffusers/scripts/original_transformers.py).
 */
import { beforeAll, expect, test } from 'vitest';
import { encodeSafetensors } from '#core/image-workflows/nodes/latent/safetensors.ts';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import {
  expectNear,
  largestDifference,
  type Numbers,
  readNumbers,
  tensor,
} from '#test/support/model-files/exported-numbers.ts';
import { type Shapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import type { DiffusionModel } from '../../../values/diffusion-model.ts';
import type { ControlResidual, NetworkPrompt } from '../../../values/network.ts';
import { type FloatTensor, full, zeros } from '../../../values/tensor.ts';
import { readAdapter } from '../../adapters/read-adapter.ts';
import { loadNetwork } from '../../checkpoints/standalone-parts.ts';
import { skipLayers } from '../../patches/skip-layers.ts';

type Kind = 'sd3' | 'flux' | 'fill' | 'chroma' | 'auraflow' | 'radiance' | 'radiance_convolution';
interface Answer {
  shapes: Shapes;
  x: Numbers;
  text: Numbers;
  pooled?: Numbers;
  concat?: Numbers;
  timestep: number;
  guidance?: number;
  output: Numbers;
}

const KINDS: readonly Kind[] = [
  'sd3',
  'flux',
  'fill',
  'chroma',
  'auraflow',
  'radiance',
  'radiance_convolution',
];
const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost('here');
let answers: Record<Kind, Answer>;

beforeAll(async () => {
  answers = await readNumbers('original_transformers.json');
  for (const kind of KINDS) await write(kind, `${kind}.safetensors`);
});

/** The file of a network. @param change may change the weights, by their names in the file */
async function write(
  kind: Kind,
  file: string,
  change: (weights: Record<string, FloatTensor>) => void = () => {},
): Promise<void> {
  const weights = weightsFor(answers[kind].shapes);
  change(weights);
  await writeWeights(host.files, `models/diffusion_models/${file}`, weights);
}

const open = (file: string): Promise<DiffusionModel> => loadNetwork(host, `${file}.safetensors`);

function promptOf({ text, pooled, guidance, concat, x }: Answer): NetworkPrompt {
  return {
    tensor: tensor(text),
    options: { ...(pooled && { pooled: tensor(pooled) }), ...(guidance && { guidance }) },
    ...(concat && concat.data.length > x.data.length && { concat: tensor(concat) }),
  };
}

async function predict({ network }: DiffusionModel, kind: Kind, prompts?: readonly NetworkPrompt[]) {
  const { x, timestep } = answers[kind];
  return network.predict(tensor(x), timestep, prompts ?? [promptOf(answers[kind])], never);
}

test.each(KINDS)('%s', SLOW, async (kind) => {
  const [output] = await predict(await open(kind), kind);
  expectNear(output, answers[kind].output, 2e-5);
});

test.each(KINDS)('%s with prompts of different lengths', SLOW, async (kind) => {
  const model = await open(kind);
  const prompt = promptOf(answers[kind]);
  const [, tokens, width] = prompt.tensor.shape as [number, number, number];
  const longer = { ...prompt, tensor: full([1, tokens + 3, width], 0.3) };
  const [first, second, third] = await predict(model, kind, [prompt, longer, prompt]);
  expectNear(first, answers[kind].output, 2e-5);
  expect(third).toEqual(first);
  expect(second).toEqual((await predict(model, kind, [longer]))[0]);
});

/** Matrices whose product changes a module: a rank of 1. */
function lowRank(outputs: number, inputs: number): { up: FloatTensor; down: FloatTensor } {
  const wave = (length: number, step: number) => Float32Array.from({ length }, (_, i) => Math.sin(i * step));
  return {
    up: { shape: [outputs, 1], data: wave(outputs, 0.7) },
    down: { shape: [1, inputs], data: wave(inputs, 1.3) },
  };
}

/** Adds the change to a module of the original layout. */
function addTo(weights: Record<string, FloatTensor>, module: string, strength: number): void {
  const { shape, data } = weights[`${module}.weight`]!;
  const [outputs = 0, inputs = 0] = shape;
  const { up, down } = lowRank(outputs, inputs);
  const changed = data.map(
    (value, i) => value + strength * up.data[Math.floor(i / inputs)]! * down.data[i % inputs]!,
  );
  weights[`${module}.weight`] = { shape, data: changed };
}

const STRENGTH = 0.2;
const ADAPTED: readonly [Kind, string[]][] = [
  ['sd3', ['joint_blocks.0.x_block.attn.qkv', 'joint_blocks.1.context_block.mlp.fc1', 'final_layer.linear']],
  ['flux', ['double_blocks.0.txt_attn.qkv', 'single_blocks.0.linear1', 'single_blocks.0.modulation.lin']],
  ['chroma', ['double_blocks.0.img_attn.qkv', 'distilled_guidance_layer.layers.0.in_layer']],
  ['auraflow', ['double_layers.0.attn.w1q', 'single_layers.0.mlp.c_proj']],
  ['radiance', ['single_blocks.0.linear2', 'nerf_blocks.1.param_generator']],
];

test.each(ADAPTED)('%s with an adapter for the original layout', SLOW, async (kind, modules) => {
  await write(kind, 'changed.safetensors', (weights) => {
    for (const module of modules) addTo(weights, module, STRENGTH);
  });
  const [expected] = await predict(await open('changed'), kind);
  const names = { kohya: 'lora_unet_', comfy: 'diffusion_model.' };
  for (const [style, prefix] of Object.entries(names)) {
    const factors = modules.flatMap((module) => {
      const [outputs = 0, inputs = 0] = answers[kind].shapes[`${module}.weight`]!;
      const { up, down } = lowRank(outputs, inputs);
      const name = prefix + (style === 'kohya' ? module.replaceAll('.', '_') : module);
      const [a, b] = style === 'kohya' ? ['lora_down', 'lora_up'] : ['lora_A', 'lora_B'];
      return [[`${name}.${a}.weight`, down] as const, [`${name}.${b}.weight`, up] as const];
    });
    const file = `${kind}-${style}.safetensors`;
    await host.files.write(`models/loras/${file}`, encodeSafetensors(Object.fromEntries(factors), {}));
    const model = await open(kind);
    const network = await model.network.withAdapter!(await readAdapter(host, file), STRENGTH);
    const [output] = await predict({ ...model, network }, kind);
    expectNear(output, { shape: [...expected!.shape], data: [...expected!.data] }, 1e-4);
    expect(largestDifference(output, answers[kind].output)).toBeGreaterThan(1e-3);
  }
});

test.each(['sd3', 'flux', 'chroma'] as const)('%s without some of its layers', SLOW, async (kind) => {
  const model = await open(kind);
  const change = skipLayers({ double: [0], single: [0] });
  const network = await model.network.withPatch!(change, never);
  const prompt = promptOf(answers[kind]);
  const without = { ...prompt, activePatches: { switches: new Set([change.key]) } };
  const [plain, skipped] = await predict({ ...model, network }, kind, [prompt, without]);
  expectNear(plain, answers[kind].output, 2e-5);
  expect(skipped!.data.every(Number.isFinite)).toBe(true);
  expect(largestDifference(skipped, answers[kind].output)).toBeGreaterThan(1e-3);
});

test('the residuals of a control net reach several blocks each', SLOW, async () => {
  const model = await open('sd3');
  const prompt = promptOf(answers.sd3);
  const residual = {
    shape: [2, 6, 128],
    data: Float32Array.from({ length: 2 * 6 * 128 }, (_, i) => Math.sin(i)),
  };
  const outputs = await predict(model, 'sd3', [
    prompt,
    { ...prompt, control: [zeros([2, 6, 128])] },
    { ...prompt, control: [residual] },
    { ...prompt, control: [residual, residual, residual] },
  ]);
  expectNear(outputs[0], answers.sd3.output, 2e-5);
  expectNear(outputs[1], answers.sd3.output, 2e-5);
  expect(outputs[2]).toEqual(outputs[3]);
  expect(largestDifference(outputs[2], answers.sd3.output)).toBeGreaterThan(1e-3);
});

test('the residuals for both kinds of blocks of Flux', SLOW, async () => {
  const model = await open('flux');
  const prompt = promptOf(answers.flux);
  const data = Float32Array.from({ length: 6 * 256 }, (_, i) => Math.sin(i));
  const [double, single] = [
    { shape: [1, 6, 256], data },
    { shape: [1, 6, 256], data, isSingle: true as const },
  ];
  const ask = (...control: ControlResidual[]) => predict(model, 'flux', [{ ...prompt, control }]);
  const outputs = [await ask(double), await ask(single), await ask(double, single)];
  for (const [output] of outputs)
    expect(largestDifference(output, answers.flux.output)).toBeGreaterThan(1e-3);
  for (const other of [outputs[0]![0]!, outputs[1]![0]!])
    expect(largestDifference(outputs[2]![0], { ...other, data: [...other.data] })).toBeGreaterThan(1e-3);
});

test('latents beyond the table of positions are refused', SLOW, async () => {
  const { network } = await open('sd3');
  const predicted = network.predict(zeros([1, 16, 4, 18]), 400, [promptOf(answers.sd3)], never);
  await expect(predicted).rejects.toThrow('at most 128 pixels along each side, and this one has 144');
});

test('a prompt of another text encoder is refused', SLOW, async () => {
  const prompt = { tensor: zeros([1, 77, 768]), options: { pooled: zeros([1, 16]) } };
  await expect(predict(await open('flux'), 'flux', [prompt])).rejects.toThrow(
    'takes prompts of 24 numbers for each token, and this prompt has 768',
  );
});

test('the settings of the families', SLOW, async () => {
  expect((await open('sd3')).latent).toMatchObject({
    channels: 16,
    scaleFactor: 1.5305,
    shiftFactor: 0.0609,
  });
  const flux = await open('flux');
  expect(flux.latent).toMatchObject({ channels: 16, scaleFactor: 0.3611, shiftFactor: 0.1159 });
  expect(flux.concat).toBeUndefined();
  expect(flux.sampling.timestepOf(0.7)).toBeCloseTo(0.7);
  expect((await open('fill')).concat).toBe('scaled image and mask');
  const auraFlow = await open('auraflow');
  expect(auraFlow.latent).toMatchObject({ channels: 4, scaleFactor: 0.13025, shiftFactor: 0 });
  expect(auraFlow.sampling.timestepOf(0.7)).toBeCloseTo(0.7);
});

test('Chroma Radiance works on pixels, in whole patches', SLOW, async () => {
  const model = await open('radiance');
  expect(model.latent).toEqual({ channels: 3, scaleFactor: 1, shiftFactor: 0 });
  const [output] = await model.network.predict(zeros([1, 3, 7, 9]), 0.4, [promptOf(answers.radiance)], never);
  expect(output!.shape).toEqual([1, 3, 7, 9]);
});

test('a marked file of Chroma Radiance predicts the image', SLOW, async () => {
  await write('radiance', 'image.safetensors', (weights) => {
    weights.__x0__ = zeros([0]);
  });
  const [x, image] = [full([1, 3, 8, 12], 0.5), full([1, 3, 8, 12], 0.25)];
  expect((await open('image')).sampling.denoised(0.5, image, x)).toEqual(image);
  expect((await open('radiance')).sampling.denoised(0.5, image, x).data[0]).toBe(0.375);
});
