/** The text encoders of Ovis-Image and LongCat-Image: which tokens of the template and the prompt the network gets. */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import {
  decoderShapes,
  renameWeights,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { languageUse } from '../families/text-encoders/language-encoder.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { loadEncoders } from './load-encoders.ts';
import { openBundledEncoders } from './open-encoder.ts';

const SLOW = { timeout: 180_000 };
const never = new AbortController().signal;
const host = await weightsHost();
const WIDTH = 16;

/** Some of Qwen's tokens, with their numbers. */
const TOKENS = {
  '\n': 198,
  user: 872,
  background: 4004,
  '<|endoftext|>': 151643,
  '<|im_start|>': 151644,
  '<|im_end|>': 151645,
};

beforeAll(async () => {
  const added = Object.entries(TOKENS).map(([content, id]) => ({
    ...tinySentencePieces.added_tokens[0]!,
    id,
    content,
  }));
  const table = { ...tinySentencePieces, added_tokens: [...tinySentencePieces.added_tokens, ...added] };
  for (const name of ['qwen2.5', 'qwen3'])
    await host.files.write(
      `models/tokenizers/${name}/tokenizer.json`,
      new TextEncoder().encode(JSON.stringify(table)),
    );
});

const rows = ({ data }: FloatTensor, start: number, end: number) => data.slice(start * WIDTH, end * WIDTH);
const difference = (a: Float32Array, b: Float32Array) =>
  Math.max(...a.map((value, at) => Math.abs(value - b[at]!)));
const encode = (clip: ClipModel, text: string) => clip.encode(text, never);

test(
  'Ovis-Image: from the end of its template on, zeros after it, for the first mark alone',
  SLOW,
  async () => {
    const shapes = decoderShapes({
      layers: 2,
      headWidth: 128,
      hasHeadNorms: true,
      tokens: TOKENS['<|im_end|>'] + 1,
    });
    const weights = renameWeights(weightsFor(shapes), (name) => `text_encoders.qwen3_2b.transformer.${name}`);
    await writeWeights(host.files, 'models/checkpoints/ovis.safetensors', weights);
    const file = await readWeightFile(host.files, 'models/checkpoints/ovis.safetensors');
    const clip = await openBundledEncoders(new WeightFileGraphs(host, file), ['ovis-qwen3-2b'], 'concat');
    const { tensor } = await encode(clip, 'a cat');
    const count = tensor.shape[1]!;
    const seen = Array.from({ length: count }, (_, at) =>
      rows(tensor, at, at + 1).some((value) => value !== 0),
    );
    const end = seen.indexOf(false);
    expect(end).toBeGreaterThan(5);
    expect(seen.slice(end).some(Boolean)).toBe(false);
    // 284 tokens with the template.
    expect(count).toBeLessThan(284);
    const { tensor: other } = await encode(clip, 'a background');
    expect(other.shape).toEqual(tensor.shape);
    expect(difference(rows(other, 0, 2), rows(tensor, 0, 2))).toBeLessThan(1e-5);
  },
);

test('Qwen 3 1.7B is recognized by its width', async () => {
  const layer = 'model.layers.0.self_attn';
  const shapes = { [`${layer}.q_proj.weight`]: [1, 2048], [`${layer}.q_norm.weight`]: [4] };
  await writeWeights(host.files, 'models/text_encoders/ovis.safetensors', weightsFor(shapes));
  for (const type of ['ovis', 'stable_diffusion'])
    expect((await loadEncoders(host, ['ovis.safetensors'], type)).graphs.has('qwen3_2b')).toBe(true);
  await expect(loadEncoders(host, ['ovis.safetensors'], 'flux')).rejects.toThrow(
    'does not fit the type flux',
  );
});

test('LongCat-Image: 512 tokens of the prompt, with letters of quotes apart', SLOW, async () => {
  const shapes = decoderShapes({
    layers: 2,
    headWidth: 128,
    groups: 4,
    heads: 4,
    hasBias: true,
    tokens: TOKENS['<|im_end|>'] + 1,
  });
  await writeWeights(host.files, 'models/text_encoders/qwen7b.safetensors', weightsFor(shapes));
  const longcat = await loadEncoders(host, ['qwen7b.safetensors'], 'longcat_image');
  const { tensor } = await encode(longcat, 'a cat');
  expect(tensor.shape).toEqual([1, 512, WIDTH]);
  const { template } = languageUse('longcat-image-qwen2.5')!;
  // The same prompt with the template as its own, which Qwen-Image reads as one text.
  const qwen = await loadEncoders(host, ['qwen7b.safetensors'], 'qwen_image');
  const { tensor: joined } = await encode(qwen, template!.text.replace('{}', 'a cat'));
  expect(difference(rows(tensor, 0, 2), rows(joined, 0, 2))).toBeLessThan(1e-5);
  // Pad tokens see the prompt and no other pad tokens, so they differ by their places alone.
  expect(difference(rows(tensor, 2, 3), rows(joined, 2, 3))).toBeGreaterThan(1e-4);
  expect((await encode(longcat, '')).tensor.shape).toEqual([1, 512, WIDTH]);
  expect((await encode(longcat, 'a '.repeat(600))).tensor.shape).toEqual([1, 512, WIDTH]);
  const { tensor: quoted } = await encode(longcat, '"cat"');
  const { tensor: plain } = await encode(longcat, 'cat');
  expect(difference(rows(quoted, 0, 1), rows(plain, 0, 1))).toBeGreaterThan(1e-4);
  // A prompt with its own template has no pad tokens in its encoding.
  const { tensor: own } = await encode(longcat, '<|im_start|>user\na cat<|im_end|>');
  expect(own.shape).toEqual([1, 2, WIDTH]);
});
