/** CLIP's text encoders in files of weights, as `CLIPLoader` and `DualCLIPLoader` open them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import {
  clipShapes,
  openClipWeights,
  renameWeights,
  weightsFor,
  writeWeights,
} from '#test/support/model-files/weight-files.ts';
import { StoredFiles } from '../../files/stored-files.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { textEncoderWeights } from '../families/text-encoders/text-encoder-weights.ts';
import { encoderNames, loadEncoders } from './load-encoders.ts';

const SLOW = { timeout: 180_000 };
const never = new AbortController().signal;
const host = await weightsHost();
const clipL = weightsFor(clipShapes(12));
const clipG = weightsFor(clipShapes(31, 128, 128));

const write = (name: string, weights: Record<string, FloatTensor>) =>
  writeWeights(host.files, `models/text_encoders/${name}.safetensors`, weights);
const encode = async (names: readonly string[], type: string, text = 'a cat') =>
  (await load(names, type)).encode(text, never);
const load = (names: readonly string[], type: string) =>
  loadEncoders(
    host,
    names.map((name) => `${name}.safetensors`),
    type,
  );

beforeAll(async () => {
  await write('l', clipL);
  await write('g', clipG);
});

/** The features [from, to) of all tokens. */
const features = ({ shape: [, tokens = 0, width = 0], data }: FloatTensor, from: number, to: number) =>
  Array.from({ length: tokens }, (_, token) => [
    ...data.subarray(token * width + from, token * width + to),
  ]).flat();

test('CLIP L alone gives its last layer', SLOW, async () => {
  const last = await encode(['l'], 'stable_diffusion');
  expect([last.tensor.shape, last.pooled!.shape]).toEqual([
    [1, 77, 64],
    [1, 64],
  ]);
  // The pooled output is that of the end token, which follows the start and two words.
  expect([...last.pooled!.data]).toEqual([...last.tensor.data.subarray(3 * 64, 4 * 64)]);
  const other = await encode(['l'], 'stable_diffusion', 'a dog');
  expect(other.tensor.data).not.toEqual(last.tensor.data);
});

test('CLIP L and G in any order, and G in both layouts, are those of SDXL', SLOW, async () => {
  await write('g-openclip', openClipWeights(clipG));
  const [both, turned, otherLayout] = [
    await encode(['l', 'g'], 'sdxl'),
    await encode(['g', 'l'], 'sdxl'),
    await encode(['l', 'g-openclip'], 'sdxl'),
  ];
  expect([both.tensor.shape, both.pooled!.shape]).toEqual([
    [1, 77, 192],
    [1, 128],
  ]);
  expect(turned).toEqual(both);
  expect(otherLayout).toEqual(both);
  const alone = await encode(['g'], 'stable_diffusion');
  expect(features(both.tensor, 64, 192)).toEqual([...alone.tensor.data]);
  expect(both.pooled).toEqual(alone.pooled);
  // The last layer but one, without the last norm: not what Stable Diffusion 1 takes of CLIP L.
  const clip = await load(['l'], 'stable_diffusion');
  const normed = await clip.withLastLayer(-2).encode('a cat', never);
  expect(features(both.tensor, 0, 64)).not.toEqual([...normed.tensor.data]);
});

test('CLIP H without its last layer gives the same as with it', SLOW, async () => {
  const complete = weightsFor(clipShapes(24));
  await write('h', complete);
  const { tensor: expected } = await encode(['h'], 'stable_diffusion');
  await write(
    'h-cut',
    Object.fromEntries(Object.entries(complete).filter(([name]) => !name.includes('.layers.23.'))),
  );
  const { tensor } = await encode(['h-cut'], 'stable_diffusion');
  expect(tensor.shape).toEqual([1, 77, 64]);
  for (const [index, value] of tensor.data.entries()) expect(value).toBeCloseTo(expected.data[index]!, 4);
});

test('a projection in the file of CLIP L is left out where its family does not use it', SLOW, async () => {
  await write('l-projected', weightsFor(clipShapes(12, 64, 64)));
  const { pooled } = await encode(['l'], 'stable_diffusion');
  const flux = await encode(['l-projected'], 'flux');
  expect(flux.pooled).toEqual(pooled);
  expect((await encode(['l-projected'], 'stable_diffusion')).pooled).not.toEqual(pooled);
});

describe('files that do not fit are refused', () => {
  test('because of the type, or because of the other file', async () => {
    await expect(load(['g', 'l'], 'flux')).rejects.toThrow(
      'g.safetensors holds the text encoder CLIP G, which does not fit the type flux: it takes CLIP L or T5-XXL. Choose another file',
    );
    await expect(load(['l', 'l'], 'sdxl')).rejects.toThrow(
      'l.safetensors is the second text encoder of its kind',
    );
  });

  test.each([
    [
      'encoder.block.0.layer.0.SelfAttention.k.weight',
      [384, 2],
      'ByT5, which does not fit the type stable_diffusion: it takes CLIP L or ',
    ],
    [
      'model.layers.0.post_attention_layernorm.weight',
      [4],
      'Llama 3 8B, which does not fit the type stable_diffusion: it takes CLIP L or ',
    ],
    [
      'model.layers.0.self_attn.q_norm.weight',
      [4],
      'Gemma 3 4B, which does not run from a file of weights yet',
    ],
  ])('because %s is of another encoder', async (name, shape, reason) => {
    // Only Gemma has this norm.
    const norm = reason.startsWith('Gemma') && { 'model.layers.0.post_feedforward_layernorm.weight': [4] };
    await write('other', weightsFor({ [name]: shape, ...norm }));
    await expect(load(['other'], 'stable_diffusion')).rejects.toThrow(
      `other.safetensors holds the text encoder ${reason}`,
    );
  });

  test('because they hold another model, or only a part', async () => {
    await write('network', weightsFor({ 'input_blocks.0.0.weight': [4, 4, 3, 3] }));
    await expect(load(['network'], 'sdxl')).rejects.toThrow(
      'network.safetensors holds no text encoder that is known here: its 1 tensors begin with input_blocks.0.0.weight: the nearest kind is a diffusion network, for UNETLoader',
    );
    const { 'text_model.encoder.layers.7.mlp.fc1.weight': _, ...rest } = clipL;
    await write('gap', rest);
    await expect(load(['gap'], 'stable_diffusion')).rejects.toThrow(
      'gap.safetensors lacks layer 7 of its text encoder CLIP L',
    );
    const bytes = await host.files.read('models/text_encoders/l.safetensors');
    await host.files.write('models/text_encoders/cut.safetensors', bytes.slice(0, 100_000));
    await expect(load(['cut'], 'stable_diffusion')).rejects.toThrow('cut.safetensors cannot be read');
  });
});

test('names without their first part, as some checkpoints have them', () => {
  const table = new Map(
    Object.keys(renameWeights(clipL, (name) => name.replace('text_model.', ''))).map((name) => [
      name,
      { file: 'x', type: 'F16', shape: [1], start: 0, end: 2 },
    ]),
  );
  expect([...textEncoderWeights(table).keys()]).toEqual(Object.keys(clipL));
});

test('an encoder in a set of files gives the same as in one file', SLOW, async () => {
  const weights = weightsFor(clipShapes(12));
  await write('one-file', weights);
  const entries = Object.entries(weights);
  await write('set-00001-of-00002', Object.fromEntries(entries.slice(0, 40)));
  await write('set-00002-of-00002', Object.fromEntries(entries.slice(40)));
  expect((await encoderNames(new StoredFiles(host))).filter((name) => name.startsWith('set'))).toEqual([
    'set-00001-of-00002.safetensors',
  ]);
  const { tensor: expected } = await encode(['one-file'], 'stable_diffusion');
  const { tensor } = await encode(['set-00001-of-00002'], 'stable_diffusion');
  expect([...tensor.data]).toEqual([...expected.data]);
});
