/** Writing token by token in the real runtime, compared with the graph of the encoder that reads all tokens at once. */
import { expect, test } from 'vitest';
import type { Tensor } from '#core/host';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import { decoderShapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { loadEncoders } from '../../checkpoints/load-encoders.ts';
import { readWeightFile } from '../../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../../weight-files/weight-file-graphs.ts';
import networks from './decoder-networks.json' with { type: 'json' };
import { type DecoderNetwork, decoderTextGraph } from './decoder-text-graph.ts';
import { decoderWriterGraph, memoryName, writerShape } from './decoder-writer-graph.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();

const integers = (values: readonly number[], shape: number[]): Tensor => ({
  type: 'int64',
  shape,
  data: BigInt64Array.from(values, BigInt),
});

async function open(name: string, weights: Record<string, FloatTensor>, network: DecoderNetwork) {
  const path = `models/text_encoders/${name}.safetensors`;
  await writeWeights(host.files, path, weights);
  const file = await readWeightFile(host.files, path);
  const graphs = new WeightFileGraphs(host, file);
  const graph = (role: string, build: () => Uint8Array<ArrayBuffer>) => graphs.graph(role, file.table, build);
  return {
    reader: graph('reader', () => decoderTextGraph(file.table, network)),
    writer: graph('writer', () => decoderWriterGraph(file.table, network)),
    shape: writerShape(file.table, network),
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** The scores of the next token by the encoder's last layer and the rows of a table. */
async function expected({ reader }: Opened, ids: readonly number[], table: FloatTensor, limit?: number) {
  const session = await reader.session(never);
  const shape = [1, ids.length];
  const mask = integers(new Array<number>(ids.length).fill(1), shape);
  const feeds = { input_ids: integers(ids, shape), attention_mask: mask };
  const { last_hidden_state: hidden } = await session.run(feeds, never, ['last_hidden_state']);
  const [rows = 0, width = 0] = table.shape;
  const last = (hidden!.data as Float32Array).subarray(-width);
  return Array.from({ length: rows }, (_, row) => {
    const score = last.reduce((sum, value, at) => sum + value * table.data[row * width + at]!, 0);
    return limit === undefined ? score : limit * Math.tanh(score / limit);
  });
}

/** The scores after reading the parts of a prompt one after the other. */
async function scores({ writer, shape }: Opened, parts: readonly (readonly number[])[]) {
  const session = await writer.session(never);
  const { layers, groups, headWidth } = shape;
  const empty: Tensor = { type: 'float32', shape: [1, groups, 1, 0, headWidth], data: new Float32Array() };
  let memory: Record<string, Tensor> = {};
  for (let layer = 0; layer < layers; layer++)
    for (const kind of ['keys', 'values'] as const) memory[memoryName('past', layer, kind)] = empty;
  let start = 0;
  let result = new Float32Array();
  for (const part of parts) {
    const ids = integers(part, [1, part.length]);
    const { logits, ...present } = await session.run(
      { input_ids: ids, start: integers([start], [1]), ...memory },
      never,
    );
    memory = Object.fromEntries(
      Object.entries(present).map(([name, stored]) => [name.replace('present', 'past'), stored]),
    );
    start += part.length;
    result = logits!.data as Float32Array<ArrayBuffer>;
  }
  return result;
}

const EMBEDDINGS = 'model.embed_tokens.weight';

test.each([
  ['qwen3', { hasHeadNorms: true, groups: 2, heads: 4 }],
  ['qwen2.5-7b', { hasBias: true, groups: 2, heads: 4 }],
  ['gemma2-2b', { hasFourNorms: true, groups: 1, heads: 2 }],
] as const)('%s gives the scores of the encoder, however the prompt is split', SLOW, async (kind, form) => {
  // Texts have no rows and columns.
  const { sections: _, ...all } = (networks as Record<string, DecoderNetwork>)[kind]!;
  const network: DecoderNetwork = { ...all, headWidth: 8 };
  const weights = weightsFor(decoderShapes({ layers: 2, headWidth: 8, tokens: 30, ...form }));
  const tied = kind !== 'qwen2.5-7b';
  if (!tied) weights['lm_head.weight'] = weightsFor({ head: [30, 16] }).head!;
  const opened = await open(`writer-${kind}`, weights, network);
  const ids = [3, 17, 5, 5, 29, 0];
  const table = weights[tied ? EMBEDDINGS : 'lm_head.weight']!;
  const right = await expected(opened, ids, table, network.scoreLimit);
  const spread = Math.max(...right) - Math.min(...right);
  for (const parts of [[ids], [ids.slice(0, 4), ids.slice(4)], ids.map((id) => [id])]) {
    const got = await scores(opened, parts);
    expect(got.length).toBe(30);
    const far = right.map((value, at) => Math.abs(value - got[at]!));
    expect(Math.max(...far) / spread).toBeLessThan(1e-4);
  }
});

test('a text encoder in a file writes the best tokens, in the form of a chat or not', SLOW, async () => {
  const special = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
  const added = special.map((content, at) => ({
    ...tinySentencePieces.added_tokens[0]!,
    id: 8 + at,
    content,
  }));
  const table = { ...tinySentencePieces, added_tokens: [...tinySentencePieces.added_tokens, ...added] };
  const bytes = new TextEncoder().encode(JSON.stringify(table));
  await host.files.write('models/tokenizers/qwen3/tokenizer.json', bytes);
  const weights = weightsFor(
    decoderShapes({ layers: 2, headWidth: 128, groups: 2, heads: 4, hasHeadNorms: true, tokens: 11 }),
  );
  const opened = await open('writing', weights, networks.qwen3 as DecoderNetwork);
  const clip = await loadEncoders(host, ['writing.safetensors'], 'lumina2');
  const counts: number[] = [];
  const request = { prompt: 'a cat', isChat: false, thinks: false, maxTokens: 4, sampling: undefined };
  const onToken = async (count: number) => void counts.push(count);
  const text = await clip.write!({ ...request, onToken }, never);
  // The same by the encoder alone: [a, cat] as ids of the tiny table, then the best token each time.
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = new Tokenizer(table, {});
  const ids: number[] = [...tokenizer.encode('a cat', { add_special_tokens: false }).ids];
  const best: number[] = [];
  while (best.length < 4) {
    const right = await expected(opened, [...ids, ...best], weights[EMBEDDINGS]!);
    const token = right.indexOf(Math.max(...right));
    if (token === 8 || token === 10) break;
    best.push(token);
  }
  expect(text).toBe(tokenizer.decode(best, { skip_special_tokens: true }).trim());
  expect(counts).toEqual(best.map((_, at) => at + 1));
  const sampling = {
    temperature: 2,
    topK: 0,
    topP: 1,
    minP: 0,
    repetitionPenalty: 1,
    presencePenalty: 0,
  };
  const drawn = (seed: bigint) =>
    clip.write!({ ...request, isChat: true, maxTokens: 8, sampling: { ...sampling, seed }, onToken }, never);
  expect(await drawn(1n)).toBe(await drawn(1n));
  const texts = new Set<string>();
  for (const seed of [2n, 3n, 4n, 5n]) texts.add(await drawn(seed));
  expect(texts.size).toBeGreaterThan(1);
});

test('an encoder without the weights for writing only reads', SLOW, async () => {
  const weights = weightsFor(
    decoderShapes({ layers: 2, headWidth: 128, groups: 4, hasBias: true, heads: 4 }),
  );
  await writeWeights(host.files, 'models/text_encoders/reads.safetensors', weights);
  const clip = await loadEncoders(host, ['reads.safetensors'], 'qwen_image');
  expect(clip.write).toBeUndefined();
});
