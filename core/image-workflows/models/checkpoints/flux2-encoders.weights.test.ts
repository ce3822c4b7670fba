/** The text encoders of Flux 2: three layers of a language model for each token. */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { tinySentencePieces, tinyTekken } from '#test/support/model-files/tiny-parts.ts';
import {
  decoderShapes,
  renameWeights,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { languageUse } from '../families/text-encoders/language-encoder.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { loadEncoders } from './load-encoders.ts';
import { openBundledEncoders } from './open-encoder.ts';

const SLOW = { timeout: 180_000 };
const never = new AbortController().signal;
const host = await weightsHost();
const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
const END = '<|endoftext|>';

beforeAll(async () => {
  const pad = { ...tinySentencePieces.added_tokens[0]!, id: 8, content: END };
  const table = { ...tinySentencePieces, added_tokens: [...tinySentencePieces.added_tokens, pad] };
  await host.files.write('models/tokenizers/qwen3/tokenizer.json', json(table));
  await host.files.write('models/tokenizers/mistral3/tekken.json', json(tinyTekken));
});

test('klein: layers 9, 18 and 27 of Qwen 3, and at least 512 tokens', SLOW, async () => {
  const { 'model.norm.weight': _, ...shapes } = decoderShapes({
    layers: 27,
    headWidth: 128,
    hasHeadNorms: true,
  });
  const weights = weightsFor(shapes);
  const encode = async (name: string, changed: Record<string, FloatTensor>) => {
    await writeWeights(host.files, `models/text_encoders/${name}.safetensors`, { ...weights, ...changed });
    return (await loadEncoders(host, [`${name}.safetensors`], 'flux2')).encode('a cat', never);
  };
  const { tensor, attentionMask } = await encode('qwen3', {});
  expect(tensor.shape).toEqual([1, 512, 3 * 16]);
  expect(attentionMask!.data.indexOf(0)).toBeGreaterThan(2);
  // The last layer changes the last third alone.
  const name = 'model.layers.26.mlp.down_proj.weight';
  const larger = { ...weights[name]!, data: weights[name]!.data.map((number) => 2 * number) };
  const changed = (await encode('changed', { [name]: larger })).tensor.data.subarray(0, 48);
  const own = tensor.data.subarray(0, 48);
  expect(changed.subarray(0, 32)).toEqual(own.subarray(0, 32));
  expect(changed.subarray(32)).not.toEqual(own.subarray(32));
});

test('dev: layers 10, 20 and 30 of Mistral Small 3, without later layers and norm', SLOW, async () => {
  const { 'model.norm.weight': _, ...shapes } = decoderShapes({ layers: 30, headWidth: 128, tokens: 300 });
  const prefix = 'text_encoders.mistral3_24b.transformer.';
  const weights = renameWeights(weightsFor(shapes), (name) => prefix + name);
  await writeWeights(host.files, 'models/checkpoints/flux2.safetensors', weights);
  const graphs = new WeightFileGraphs(
    host,
    await readWeightFile(host.files, 'models/checkpoints/flux2.safetensors'),
  );
  const clip = await openBundledEncoders(graphs, ['flux2-mistral3'], 'concat');
  const { tensor, attentionMask } = await clip.encode('(cat:1.5)', never);
  // The start, and a token for each byte but those of "ca" and "at".
  const { text } = languageUse('flux2-mistral3')!.template!;
  const merged = text.match(/ca|at/g)!.length + 1;
  const count = 1 + text.length - '{}'.length + '(cat:1.5)'.length - merged;
  expect([tensor.shape, attentionMask]).toEqual([[1, count, 48], undefined]);
  expect(tensor.data.every(Number.isFinite)).toBe(true);
});

test('Mistral Small 3 is recognized by its width, and fits no other type', async () => {
  const shapes = { 'model.layers.0.post_attention_layernorm.weight': [5120] };
  await writeWeights(host.files, 'models/text_encoders/mistral.safetensors', weightsFor(shapes));
  expect((await loadEncoders(host, ['mistral.safetensors'], 'flux2')).graphs!.has('mistral3_24b')).toBe(true);
  await expect(loadEncoders(host, ['mistral.safetensors'], 'sdxl')).rejects.toThrow(
    'holds the text encoder Mistral Small 3, which does not fit the type sdxl',
  );
});
