/** Llama 3 in files of weights, as HiDream uses it, compared with transformers (test/diffusers/scripts/language_files.py). */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { largestDifference } from '#test/support/model-files/exported-numbers.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import { clipShapes, t5Shapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { tensorOf } from '../../values/tensor.ts';
import { loadEncoders } from './load-encoders.ts';

const SLOW = { timeout: 180_000 };
const never = new AbortController().signal;
const host = await weightsHost();
const { weights, answers } = await answeredWeights('llama3');

/** The tokens that frame Llama's prompts, in a small vocabulary. */
const FRAMES = ['<|begin_of_text|>', '<|eot_id|>'];
const TABLE = {
  ...tinySentencePieces,
  added_tokens: [
    ...tinySentencePieces.added_tokens,
    ...FRAMES.map((content, at) => ({ ...tinySentencePieces.added_tokens[0]!, id: 8 + at, content })),
  ],
};

beforeAll(async () => {
  const table = new TextEncoder().encode(JSON.stringify(TABLE));
  for (const name of ['t5', 'llama3.1'])
    await host.files.write(`models/tokenizers/${name}/tokenizer.json`, table);
  await writeWeights(host.files, 'models/text_encoders/llama.safetensors', weights);
});

test(
  'HiDream takes all layers of at least 128 tokens, without the embeddings before the first',
  SLOW,
  async () => {
    const clip = await loadEncoders(host, ['llama.safetensors'], 'hidream');
    const { tensor, pooled, languageLayers, attentionMask } = await clip.encode('a cat', never);
    expect([tensor.shape, pooled!.shape, languageLayers!.shape, attentionMask]).toEqual([
      [1, 128, 4096],
      [1, 2048],
      [1, 4, 128, 16],
      undefined,
    ]);
    const { shape, data } = answers.layers!;
    const [, , tokens = 0, width = 0] = shape;
    const size = tokens * width;
    const expected = { shape: [4, tokens, width], data: data.slice(size) };
    const rows = [0, 1, 2, 3].flatMap((layer) => [
      ...languageLayers!.data.subarray(layer * 128 * width, layer * 128 * width + size),
    ]);
    const actual = tensorOf([4, tokens, width], Float32Array.from(rows));
    expect(largestDifference(actual, expected)).toBeLessThan(1e-5);
  },
);

test('HiDream with all four encoders: T5 counts with 128 tokens, CLIP with what it pools', SLOW, async () => {
  const wide = Object.fromEntries(
    Object.entries(t5Shapes({ layers: 24, width: 8 })).map(([name, shape]) => [
      name,
      shape.map((side) => (side === 8 ? 4096 : side)),
    ]),
  );
  await writeWeights(host.files, 'models/text_encoders/t5.safetensors', weightsFor(wide));
  await writeWeights(host.files, 'models/text_encoders/l.safetensors', weightsFor(clipShapes(12, 64, 8)));
  await writeWeights(host.files, 'models/text_encoders/g.safetensors', weightsFor(clipShapes(32, 64, 6)));
  const names = ['llama.safetensors', 'g.safetensors', 't5.safetensors', 'l.safetensors'];
  const clip = await loadEncoders(host, names, 'hidream');
  const encoded = await clip.encode('a cat '.repeat(100), never);
  expect([encoded.tensor.shape, encoded.pooled!.shape]).toEqual([
    [1, 128, 4096],
    [1, 14],
  ]);
  // Llama sees all of a long prompt, and T5 its first 127 tokens with the end.
  expect(encoded.languageLayers!.shape[2]).toBeGreaterThan(200);
  const cut = await clip.encode({ t5xxl: 'a cat '.repeat(63).concat('a') }, never);
  expect(cut.tensor).toEqual(encoded.tensor);
  const other = await clip.encode({ t5xxl: 'a cat' }, never);
  expect(other.tensor.data).not.toEqual(encoded.tensor.data);
  await expect(loadEncoders(host, [...names, 'l.safetensors'], 'hidream')).rejects.toThrow(
    'l.safetensors is the second text encoder of its kind',
  );
});
