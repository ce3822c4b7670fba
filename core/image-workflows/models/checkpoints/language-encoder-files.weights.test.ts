/** Encoders of language models in files of weights: alone, as loader nodes open them, and inside of checkpoints. */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import {
  clipShapes,
  decoderShapes,
  renameWeights,
  t5Shapes,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { loadEncoders } from './load-encoders.ts';
import { openBundledEncoders } from './open-encoder.ts';

const SLOW = { timeout: 180_000 };
const never = new AbortController().signal;
const host = await weightsHost();

beforeAll(async () => {
  const table = new TextEncoder().encode(JSON.stringify(tinySentencePieces));
  for (const name of ['t5', 'umt5', 'pile-t5'])
    await host.files.write(`models/tokenizers/${name}/tokenizer.json`, table);
});

/** The tokens [from, to) of the only prompt. */
const tokens = ({ shape: [, , width = 0], data }: FloatTensor, from: number, to: number) => [
  ...data.subarray(from * width, to * width),
];

test('a T5 in a file of its own is read as the type asks', SLOW, async () => {
  // The width is the one by which T5-XXL is recognized.
  const shapes = { ...t5Shapes({ layers: 24, width: 8 }) };
  const wide = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, shape.map((side) => (side === 8 ? 4096 : side))]),
  );
  await writeWeights(host.files, 'models/text_encoders/t5.safetensors', weightsFor(wide));
  const encode = async (type: string, text = 'a cat') =>
    (await loadEncoders(host, ['t5.safetensors'], type)).encode(text, never);
  const short = await encode('chroma');
  expect([short.tensor.shape, short.pooled, short.attentionMask]).toEqual([
    [1, 3, 4096],
    undefined,
    undefined,
  ]);
  const ltxv = await encode('ltxv');
  expect(ltxv.tensor.shape).toEqual([1, 128, 4096]);
  expect([...ltxv.attentionMask!.data]).toEqual([1, 1, 1, ...new Array(125).fill(0)]);
  // Tokens that are not seen change nothing for the others.
  const near = tokens(ltxv.tensor, 0, 3).map((value, at) => Math.abs(value - short.tensor.data[at]!));
  expect(Math.max(...near)).toBeLessThan(1e-3);
  const wan = await encode('wan');
  expect(wan.tensor.shape).toEqual([1, 512, 4096]);
  expect(tokens(wan.tensor, 3, 512).every((value) => value === 0)).toBe(true);
  const sd3 = await encode('sd3');
  expect([sd3.tensor.shape, sd3.pooled!.shape, sd3.attentionMask]).toEqual([
    [1, 77, 4096],
    [1, 2048],
    undefined,
  ]);
  expect(tokens(sd3.tensor, 0, 3)).not.toEqual(tokens(ltxv.tensor, 0, 3));
});

test('the encoder of AuraFlow is recognized whatever the type', SLOW, async () => {
  const shapes = t5Shapes({ layers: 24, width: 8, isShared: false });
  const wide = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, shape.map((side) => (side === 8 ? 2048 : side))]),
  );
  await writeWeights(host.files, 'models/text_encoders/pile.safetensors', weightsFor(wide));
  const clip = await loadEncoders(host, ['pile.safetensors'], 'stable_diffusion');
  const { tensor } = await clip.encode('a cat', never);
  expect(tensor.shape).toEqual([1, 256, 2048]);
  expect(tokens(tensor, 0, 3).some((value) => value !== 0)).toBe(true);
  expect(tokens(tensor, 3, 256).every((value) => value === 0)).toBe(true);
});

test('the encoders of a checkpoint, with and without some of them', SLOW, async () => {
  const inside = (prefix: string, weights: Record<string, FloatTensor>) =>
    renameWeights(weights, (name) => `text_encoders.${prefix}.transformer.${name}`);
  const t5 = inside('t5xxl', weightsFor(t5Shapes({ layers: 2, width: 16 })));
  const clip = inside('clip_l', weightsFor(clipShapes(12)));
  const open = async (name: string, weights: Record<string, FloatTensor>) => {
    const path = `models/checkpoints/${name}.safetensors`;
    await writeWeights(host.files, path, weights);
    return new WeightFileGraphs(host, await readWeightFile(host.files, path));
  };
  const both = await open('both', { ...t5, ...clip });
  const flux = await openBundledEncoders(both, ['flux-l', 'flux-t5xxl'], 'flux');
  const encoded = await flux.encode('a (cat:1.5)', never);
  expect([encoded.tensor.shape, encoded.pooled!.shape]).toEqual([
    [1, 256, 16],
    [1, 64],
  ]);
  const noT5 = await openBundledEncoders(await open('clip', clip), ['flux-l', 'flux-t5xxl'], 'flux');
  expect((await noT5.encode('a cat', never)).tensor.shape).toEqual([1, 77, 64]);
  const { 'text_encoders.t5xxl.transformer.encoder.final_layer_norm.weight': _, ...cut } = t5;
  const damaged = await openBundledEncoders(await open('cut', cut), ['sd3-t5xxl'], 'sd3');
  await expect(damaged.encode('a cat', never)).rejects.toThrow(
    'cut.safetensors cannot be used: there is no tensor encoder.final_layer_norm.weight',
  );
  const nothing = await openBundledEncoders(both, ['sd3-g'], 'sd3');
  await expect(nothing.encode('a cat', never)).rejects.toThrow('this model came without a text encoder');
});

const QWEN = ['<|endoftext|>', '<|im_start|>'];
/** The tokenizer of a cat with some of Qwen's special tokens. */
const QWEN_TABLE = {
  ...tinySentencePieces,
  added_tokens: [
    ...tinySentencePieces.added_tokens,
    ...QWEN.map((content, at) => ({ ...tinySentencePieces.added_tokens[0]!, id: 8 + at, content })),
  ],
};

test('Gemma 2, Qwen 2.5 and Qwen 3 in files of their own', SLOW, async () => {
  for (const name of ['gemma2', 'qwen2.5', 'qwen3'])
    await host.files.write(
      `models/tokenizers/${name}/tokenizer.json`,
      new TextEncoder().encode(JSON.stringify(QWEN_TABLE)),
    );
  const qwen = decoderShapes({ layers: 2, headWidth: 128, groups: 2, hasBias: true, heads: 4 });
  await writeWeights(host.files, 'models/text_encoders/qwen3b.safetensors', weightsFor(qwen));
  const omnigen = await loadEncoders(host, ['qwen3b.safetensors'], 'omnigen2');
  const { tensor, attentionMask } = await omnigen.encode('(cat:1.5)', never);
  expect(attentionMask!.shape).toEqual([1, tensor.shape[1]]);
  const seven = decoderShapes({ layers: 2, headWidth: 128, groups: 4, hasBias: true, heads: 4 });
  await writeWeights(host.files, 'models/text_encoders/qwen7b.safetensors', weightsFor(seven));
  const image = await loadEncoders(host, ['qwen7b.safetensors'], 'qwen_image');
  const encoded = await image.encode('(red:1.5) cat', never);
  const literal = await image.encode('\\(red:1.5\\) cat', never);
  expect(literal).toEqual(encoded);
  expect([encoded.tensor.shape[0], encoded.tensor.shape[2], encoded.attentionMask]).toEqual([
    1,
    16,
    undefined,
  ]);
  const three = decoderShapes({ layers: 3, headWidth: 128, groups: 2, heads: 4, hasHeadNorms: true });
  await writeWeights(host.files, 'models/text_encoders/qwen3.safetensors', weightsFor(three));
  const zImage = await loadEncoders(host, ['qwen3.safetensors'], 'lumina2');
  const plain = await zImage.encode('a cat', never);
  expect([plain.tensor.shape[2], plain.attentionMask]).toEqual([16, undefined]);
  // The last layer but one is used, without the last norm: the weights of both change nothing.
  const others = weightsFor(three);
  for (const [name, { data }] of Object.entries(others))
    if (/layers\.2\.|model\.norm/.test(name)) data.fill(1);
  await writeWeights(host.files, 'models/text_encoders/qwen3-other.safetensors', others);
  const other = await loadEncoders(host, ['qwen3-other.safetensors'], 'lumina2');
  expect(await other.encode('a cat', never)).toEqual(plain);
  const { 'model.layers.0.input_layernorm.weight': _, ...gap } = decoderShapes({
    hasFourNorms: true,
    headWidth: 256,
  });
  await writeWeights(host.files, 'models/text_encoders/gemma.safetensors', weightsFor(gap));
  const gemma = await loadEncoders(host, ['gemma.safetensors'], 'lumina2');
  await expect(gemma.encode('a cat', never)).rejects.toThrow('the vocabulary of the tokenizer has no <bos>');
});
