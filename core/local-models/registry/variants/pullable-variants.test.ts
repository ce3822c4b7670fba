import { expect, test } from 'vitest';
import type { PrebuiltModel } from '#core/host';
import { parseName } from '../names/model-name.ts';
import { pullableVariants } from './pullable-variants.ts';

const prebuilt = (id: string, quantization: string): PrebuiltModel => ({
  id,
  format: 'mlc',
  repository: `https://huggingface.co/mlc-ai/${id}`,
  library: `https://libs.test/${id}.wasm`,
  quantization,
});
const HALF = prebuilt('SmolLM2-135M-Instruct-q0f16-MLC', 'q0f16');
const SINGLE = prebuilt('SmolLM2-135M-Instruct-q0f32-MLC', 'q0f32');
const OTHER = prebuilt('Other-q4f16_1-MLC', 'q4f16_1');
const LIST = [OTHER, SINGLE, HALF];

async function found(name: string, list: PrebuiltModel[] | undefined = LIST) {
  const variants = await pullableVariants({ prebuilt: async () => list }, parseName(name));
  return variants.map((variant) => ('prebuilt' in variant ? variant.prebuilt.id : `entry ${variant.format}`));
}

test.each<[string, string[]]>([
  ['smollm2:135m', ['entry gguf', HALF.id, SINGLE.id]],
  ['SmolLM2:135M', ['entry gguf', HALF.id, SINGLE.id]],
  ['sd-turbo', ['entry diffusers']],
  ['all-minilm', ['entry gguf']],
  [OTHER.id, [OTHER.id]],
  [OTHER.id.toUpperCase(), [OTHER.id]],
  [`hf.co/mlc-ai/${OTHER.id}`, [OTHER.id]],
  [`HuggingFace.co/MLC-AI/${OTHER.id.toLowerCase()}`, [OTHER.id]],
  [`hf.co/someone/${OTHER.id}`, []],
  [`someone/${OTHER.id}`, []],
  [`models.test/library/${OTHER.id}`, []],
  [`${OTHER.id}:q4`, []],
  ['unknown', []],
])('the variants of %s', async (name, expected) => {
  expect(await found(name)).toEqual(expected);
});

test('the variants of the catalogue that no engine lists are left out', async () => {
  expect(await found('smollm2:135m', [SINGLE])).toEqual(['entry gguf', SINGLE.id]);
});

test('a host without a list has the variants of the catalogue', async () => {
  expect(await pullableVariants({}, parseName('smollm2:135m'))).toHaveLength(1);
  expect(await pullableVariants({}, parseName(OTHER.id))).toEqual([]);
});

test('a list that cannot be read is an error', async () => {
  const host = { prebuilt: () => Promise.reject(new Error('offline')) };
  await expect(pullableVariants(host, parseName('smollm2:135m'))).rejects.toThrow('offline');
});
