/** Adapters that are extracted from the difference of two models. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  distance,
  encoder,
  merging,
  network,
  type SavingServer,
  samplingPrompt,
  savingServer,
  use,
} from '#test/support/image-workflows/saving-server.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { encodeSafetensors } from '../latent/safetensors.ts';

const SLOW = { timeout: 120_000 };
let server: SavingServer;
beforeAll(async () => {
  server = await savingServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

test('an adapter of the difference turns the first model into the second', SLOW, async () => {
  const both = {
    ...{ a: network('one'), b: network('two'), c: encoder('one'), d: encoder('two') },
    model: use('ModelMergeSubtract', { model1: ['b', 0], model2: ['a', 0], multiplier: 1 }),
    clip: use('CLIPMergeSubtract', { clip1: ['d', 0], clip2: ['c', 0], multiplier: 1 }),
  };
  const expected = await server.run(samplingPrompt(['b', 0], ['d', 0], both));
  const plain = await server.run(samplingPrompt(['a', 0], ['c', 0], both));
  const largest = expected.data.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  for (const [index, lora_type] of ['standard', 'full_diff'].entries()) {
    await server.run({
      ...both,
      save: use('LoraSave', {
        ...{ model_diff: ['model', 0], text_encoder_diff: ['clip', 0], rank: 4, bias_diff: true },
        ...{ lora_type, filename_prefix: 'loras/extracted' },
      }),
    });
    const name = `extracted_0000${index + 1}_.safetensors`;
    expect(await server.listed('loras')).toContain(name);
    const adapted = {
      ...both,
      lora: use('LoraLoader', {
        ...{ model: ['a', 0], clip: ['c', 0], lora_name: name, strength_model: 1, strength_clip: 1 },
      }),
    };
    const result = await server.run(samplingPrompt(['lora', 0], ['lora', 1], adapted));
    expect(distance(result, expected) / largest).toBeLessThan(1e-3);
    expect(distance(plain, expected) / largest).toBeGreaterThan(1e-2);
    const metadata = await server.ask('GET', `/view_metadata/loras?filename=${name}`);
    expect(JSON.parse(((await metadata.json()) as { prompt: string }).prompt)).toHaveProperty('save');
  }
});

test('adapters of other programs name text encoders in several ways', SLOW, async () => {
  const results: FloatTensor[] = [];
  const module = 'text_model.encoder.layers.1.self_attn.q_proj';
  for (const name of [
    `lora_te_${module.replaceAll('.', '_')}`,
    `text_encoders.clip_l.transformer.${module}`,
  ]) {
    const factor = (shape: number[]) => ({ shape, data: new Float32Array(4).fill(0.2) });
    const tensors = {
      [`${name}.lora_up.weight`]: factor([4, 1]),
      [`${name}.lora_down.weight`]: factor([1, 4]),
    };
    const lora_name = `text${results.length}.safetensors`;
    await server.files.write(`models/loras/${lora_name}`, encodeSafetensors(tensors, {}));
    const lora = use('LoraLoader', {
      ...{ model: ['a', 0], clip: ['c', 0], lora_name, strength_model: 1, strength_clip: 1 },
    });
    results.push(await server.run(samplingPrompt(['a', 0], ['lora', 1], { ...merging, lora })));
  }
  expect(distance(results[1]!, results[0]!)).toBe(0);
  const plain = await server.run(samplingPrompt(['a', 0], ['c', 0], merging));
  expect(distance(plain, results[0]!)).toBeGreaterThan(1e-3);
});

test('refuses to extract an adapter without a difference', SLOW, async () => {
  const save = (inputs: object) =>
    use('LoraSave', {
      ...{ rank: 4, bias_diff: true, lora_type: 'standard', filename_prefix: 'loras/none' },
      ...inputs,
    });
  expect(await server.failing({ save: save({}) })).toContain('connect model_diff');
  const same = {
    a: network('one'),
    none: use('ModelMergeSubtract', { model1: ['a', 0], model2: ['a', 0], multiplier: 1 }),
    save: save({ model_diff: ['none', 0] }),
  };
  expect(await server.failing(same)).toContain('the difference is zero in all weights');
  expect(await server.everyFile('output')).toEqual([]);
});
