/** Llama 3 in files of weights, as HiDream and Hunyuan Video use it, compared with transformers (test/diffusers/scripts/language_files.py). */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { largestDifference } from '#test/support/model-files/exported-numbers.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import { clipShapes, t5Shapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, full, tensorOf } from '../../values/tensor.ts';
import { tokenTable } from '../encoders/token-table.ts';
import { feed, toFloatTensor } from '../graphs/session-tensors.ts';
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

/** The input of the last layer but one, with `value` in place of the embeddings of tokens 0. */
async function thirdFromTheEnd(
  graph: ModelGraph,
  ids: readonly number[],
  value: number,
): Promise<FloatTensor> {
  const { change, input, rows } = await tokenTable(graph);
  const session = await graph.withChange(change).session(never);
  const tokens = ids.map((id) => (id === 0 ? new Float32Array(16).fill(value) : id));
  const shape = [1, ids.length];
  const feeds: Record<string, FloatTensor> = {
    input_ids: { shape, data: Float32Array.from(ids) },
    attention_mask: full(shape, 1),
    [input]: await rows(tokens, never),
  };
  const slots = session.inputs.map((slot) => [slot.name, feed(slot, feeds[slot.name]!)]);
  const outputs = await session.run(Object.fromEntries(slots), never, ['hidden_states.2']);
  return toFloatTensor(outputs['hidden_states.2']!);
}

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

/** The tokens of Llama's templates with their published numbers. */
const PUBLISHED = {
  '\n\n': 271,
  user: 882,
  '<|begin_of_text|>': 128000,
  '<|start_header_id|>': 128006,
  '<|end_header_id|>': 128007,
  '<|eot_id|>': 128009,
  '<image>': 128257,
  '<pad>': 128258,
};

async function writeHunyuan(): Promise<void> {
  const [usual] = tinySentencePieces.added_tokens;
  const table = {
    ...tinySentencePieces,
    added_tokens: Object.entries(PUBLISHED).map(([content, id]) => ({ ...usual!, id, content })),
  };
  await host.files.write(
    'models/tokenizers/llama3/tokenizer.json',
    new TextEncoder().encode(JSON.stringify(table)),
  );
  const wide = weightsFor({ table: [128259, 16] });
  const all = { ...weights, 'model.embed_tokens.weight': wide.table! };
  await writeWeights(host.files, 'models/text_encoders/llava-llama3.safetensors', all);
  await writeWeights(
    host.files,
    'models/text_encoders/hunyuan-l.safetensors',
    weightsFor(clipShapes(12, 64, 8)),
  );
}

/** The tokens [from, to) of [1, tokens, width]. */
const part = ({ shape: [, , width = 0], data }: FloatTensor, from: number, to: number) => [
  ...data.subarray(from * width, to * width),
];

test('Hunyuan Video takes the prompt of its template by the third layer from the end', SLOW, async () => {
  await writeHunyuan();
  const names = ['hunyuan-l.safetensors', 'llava-llama3.safetensors'];
  const clip = await loadEncoders(host, names, 'hunyuan_video');
  const short = await clip.encode('a cat', never);
  // Two words and the end of the turn.
  expect([short.tensor.shape, short.pooled!.shape]).toEqual([
    [1, 3, 16],
    [1, 64],
  ]);
  const longer = await clip.encode('a cat a', never);
  expect(longer.tensor.shape).toEqual([1, 4, 16]);
  expect(part(longer.tensor, 0, 2)).toEqual(part(short.tensor, 0, 2));

  const shown = {
    template:
      '<image><|start_header_id|><|start_header_id|>user<|end_header_id|>\n\n{}<|eot_id|><|start_header_id|>a',
    tokens: full([1, 5, 16], 0.25),
    interleave: 2,
  };
  const { tensor } = await clip.encode('a cat', never, [], [], shown);
  // Three of five tokens of the image, two words and the end of the turn.
  expect(tensor.shape).toEqual([1, 6, 16]);
  const ids = [128000, 0, 0, 0, 0, 0, 128006, 128006, 882, 128007, 271, 4, 5, 128009, 128006, 4];
  const expected = await thirdFromTheEnd(clip.graphs.get('llama')!, ids, 0.25);
  const chosen = [1, 3, 5, 11, 12, 13].flatMap((at) => part(expected, at, at + 1));
  expect(largestDifference(tensor, { shape: tensor.shape, data: chosen })).toBeLessThan(1e-5);
});

test('Hunyuan Video refuses a vision encoder that makes no tokens for language models', SLOW, async () => {
  const clip = await loadEncoders(host, ['llava-llama3.safetensors'], 'hunyuan_video');
  const shown = { template: '<image>{}', tokens: undefined, interleave: 2 };
  await expect(clip.encode('a cat', never, [], [], shown)).rejects.toThrow(
    'load llava_llama3_vision.safetensors',
  );
});
