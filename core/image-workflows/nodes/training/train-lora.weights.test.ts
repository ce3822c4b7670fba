/** Trains, saves, loads and applies adapters for a small UNet. */
import { beforeAll, expect, test } from 'vitest';
import { readSafetensors } from '#core/tensors';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { SMALL_CONTEXT, smallUnet } from '#test/support/model-files/small-unet.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { LoraWeights } from '../../values/lora-weights.ts';
import { elementCount, type FloatTensor } from '../../values/tensor.ts';
import type { AnyNode } from '../kernel/node-type.ts';
import { loraNodes } from '../model/lora.ts';
import { loraModelNodes } from './lora-model.ts';
import { trainingNodes } from './train-lora.ts';

const SLOW = { timeout: 60_000 };
const host = await weightsHost('here');
const reported: string[] = [];
const abort = new AbortController();
const { context } = fileContext(host, {
  signal: abort.signal,
  progress: async (value, max) => void reported.push(`${value} of ${max}`),
});
let model: DiffusionModel;
beforeAll(async () => {
  // As many layers for each level as published networks have, on which the names depend.
  model = await smallUnet(host, { depths: [0], layers: 2 });
});

const wave = (shape: number[], seed: number): FloatTensor => ({
  shape,
  data: Float32Array.from({ length: elementCount(shape) }, (_, at) => Math.sin(1 + 2.1 * at + 3 * seed)),
});
const prompts: Conditioning = [1, 2].map((seed) => ({
  tensor: wave([1, 3, SMALL_CONTEXT], seed),
  options: {},
}));
const settings = {
  latents: { samples: wave([2, 4, 6, 4], 0) },
  positive: prompts,
  ...{ batch_size: 2, grad_accumulation_steps: 1, steps: 4, learning_rate: 0.02, rank: 2, seed: 7n },
  ...{ optimizer: 'AdamW', loss_function: 'MSE', training_dtype: 'fp32', lora_dtype: 'fp32' },
  ...{ algorithm: 'LoRA', gradient_checkpointing: true, existing_lora: '[None]' },
};
const run = async (nodes: readonly AnyNode[], name: string, values: Record<string, unknown>, by = context) =>
  (await nodes.find((node) => node.name === name)!.run(values, by)) as unknown[];
/** All inputs of the node are lists. */
const train = (changes: Record<string, unknown> = {}, by = context) => {
  const single = Object.entries({ model, ...settings, ...changes }).map(([name, value]) => [name, [value]]);
  return run(trainingNodes, 'TrainLoraNode', Object.fromEntries(single), by) as Promise<
    [DiffusionModel, LoraWeights, { loss: number[] }, bigint]
  >;
};
const answer = async ({ network }: DiffusionModel) =>
  (await network.predict(wave([1, 4, 6, 4], 4), 500, [prompts[0]!], context.signal))[0]!;
const distance = (a: FloatTensor, b: FloatTensor) =>
  a.data.reduce((most, value, at) => Math.max(most, Math.abs(value - b.data[at]!)), 0);
const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

test('trains, saves and loads an adapter, and trains it further', SLOW, async () => {
  const [adapted, lora, { loss }, steps] = await train({ steps: 20 });
  expect(steps).toBe(20n);
  expect(loss).toHaveLength(20);
  expect(mean(loss.slice(-6))).toBeLessThan(0.7 * mean(loss.slice(0, 6)));
  expect(reported.at(-1)).toBe('20 of 20');
  expect(adapted.network.graph).not.toBe(model.network.graph);
  const plain = await answer(model);

  const [again] = await run(loraModelNodes, 'LoraModelLoader', { model, lora, strength_model: 1 });
  const trained = await answer(again as DiffusionModel);
  expect(distance(trained, plain)).toBeGreaterThan(0.05);
  const [unchanged] = await run(loraModelNodes, 'LoraModelLoader', { model, lora, strength_model: 0 });
  expect(unchanged).toBe(model);

  await run(loraModelNodes, 'SaveLoRANode', { lora, prefix: 'loras/mine', steps });
  const path = 'output/loras/mine_20_steps_00001_.safetensors';
  const { size } = (await host.files.stat(path))!;
  const entries = await readSafetensors(size, (start, end) => host.files.read(path, start, end));
  const shapes = Object.fromEntries(entries.map(({ name, shape, type }) => [name, [type, ...shape]]));
  expect(shapes).toMatchObject({
    'diffusion_model.input_blocks.0.0.lora_up.weight': ['F32', 8, 2],
    'diffusion_model.input_blocks.0.0.lora_down.weight': ['F32', 2, 4 * 9],
    'diffusion_model.input_blocks.0.0.alpha': ['F32'],
    'diffusion_model.input_blocks.0.0.diff_b': ['F32', 8],
    'diffusion_model.input_blocks.1.0.in_layers.0.diff': ['F32', 8],
    'diffusion_model.output_blocks.2.0.skip_connection.lora_down.weight': ['F32', 2, 16],
    'diffusion_model.out.2.diff_b': ['F32', 4],
  });
  expect(entries.some(({ name }) => !name.startsWith('diffusion_model.'))).toBe(false);

  const lora_name = 'mine_20_steps_00001_.safetensors';
  await host.files.write(`models/loras/${lora_name}`, await host.files.read(path));
  const [loaded] = await run(loraNodes, 'LoraLoaderModelOnly', { model, lora_name, strength_model: 1 });
  expect(distance(await answer(loaded as DiffusionModel), trained)).toBeLessThan(1e-6);

  const further = await train({
    steps: 1,
    grad_accumulation_steps: 2,
    learning_rate: 1e-7,
    existing_lora: lora_name,
  });
  expect(further[3]).toBe(21n);
  // The first run of a seed has the same image, noise and noise level.
  expect(further[2].loss[0]).toBeLessThan(0.8 * loss[0]!);
});

test('refuses what it cannot train', async () => {
  await expect(train({ algorithm: 'LoHa' })).rejects.toThrow('the kind LoHa cannot be trained here');
  await expect(train({ positive: [...prompts, prompts[0]!] })).rejects.toThrow('3 prompts for 2 images');
  await expect(train({ latents: { samples: wave([1, 16, 4, 4], 0) } })).rejects.toThrow(
    'latents of [images, 4',
  );
  const configs = { ...model.configs!, kind: 'flux' as const };
  await expect(train({ model: { ...model, configs } })).rejects.toThrow('cannot be trained here');
  const masked = [{ ...prompts[0]!, options: { region: { strength: 2 } } }];
  await expect(train({ positive: masked })).rejects.toThrow('a prompt with region');
  const small = { ...context, host: { ...host, machine: { ...host.machine, memoryFree: () => 1000 } } };
  await expect(train({}, small)).rejects.toThrow('training with latents of 4 x 6 needs 0.0 GB of memory');
});

test('ends with the prompt', async () => {
  const canceled = { ...context, signal: AbortSignal.abort(new Error('interrupted')) };
  await expect(train({}, canceled)).rejects.toThrow('interrupted');
});
