/** Codes of audio by a small language model in the real runtime, compared with the graph that reads all tokens at once. */
import { expect, test } from 'vitest';
import type { Tensor } from '#core/host';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import {
  ace15CodeWriter,
  ace15TextEncoder,
  letterTable,
} from '#test/support/model-files/ace-step-15-shapes.ts';
import { weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { loadEncoders } from '../checkpoints/load-encoders.ts';
import networks from '../families/text-encoders/decoder-networks.json' with { type: 'json' };
import { type DecoderNetwork, decoderTextGraph } from '../families/text-encoders/decoder-text-graph.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';

const SLOW = { timeout: 120_000 };
const FIRST = 151_669;
const CODES = 64_000;
const EMBEDDINGS = 'model.embed_tokens.weight';
const never = new AbortController().signal;
const host = await weightsHost();

const bytes = new TextEncoder().encode(JSON.stringify(letterTable));
await host.files.write('models/tokenizers/qwen3/tokenizer.json', bytes);
const writing = weightsFor(ace15CodeWriter());
await writeWeights(host.files, 'models/text_encoders/writing.safetensors', writing);
await writeWeights(host.files, 'models/text_encoders/text.safetensors', weightsFor(ace15TextEncoder(256)));

const usual = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 1n, onCode: async () => {} };
const request = { ...usual, prompt: 'a tune', negative: 'no tune at all', scale: 2, count: 3 };

/** The scores of all codes after these tokens. */
async function scores(tokens: readonly number[]): Promise<Float32Array> {
  const file = await readWeightFile(host.files, 'models/text_encoders/writing.safetensors');
  const network = networks.qwen3 as DecoderNetwork;
  const graphs = new WeightFileGraphs(host, file);
  const session = await graphs
    .graph('reader', file.table, () => decoderTextGraph(file.table, network))
    .session(never);
  const shape = [1, tokens.length];
  const integers = (values: readonly number[]): Tensor => ({
    type: 'int64',
    shape,
    data: BigInt64Array.from(values, BigInt),
  });
  const feeds = { input_ids: integers(tokens), attention_mask: integers(tokens.map(() => 1)) };
  const { last_hidden_state: hidden } = await session.run(feeds, never, ['last_hidden_state']);
  const last = (hidden!.data as Float32Array).subarray(-16);
  const table = writing[EMBEDDINGS]!.data;
  return Float32Array.from({ length: CODES }, (_, code) =>
    last.reduce((sum, value, at) => sum + value * table[(FIRST + code) * 16 + at]!, 0),
  );
}

/** The best codes by the graph that reads all tokens at once. */
async function best(scale: number): Promise<number[]> {
  const ids = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0) + 68);
  const codes: number[] = [];
  while (codes.length < request.count) {
    const written = codes.map((code) => FIRST + code);
    const cond = await scores([...ids(request.prompt), ...written]);
    const uncond = await scores([...ids(request.negative), ...written]);
    const guided = cond.map((value, at) => uncond[at]! + scale * (value - uncond[at]!));
    codes.push(guided.indexOf(Math.max(...guided)));
  }
  return codes;
}

test('the best codes, with and without guidance, for prompts of several lengths', SLOW, async () => {
  const clip = await loadEncoders(host, ['text.safetensors', 'writing.safetensors'], 'ace');
  const counts: number[] = [];
  const onCode = async (count: number) => void counts.push(count);
  expect(await clip.writeCodes!({ ...request, onCode }, never)).toEqual(await best(2));
  expect(counts).toEqual([1, 2, 3]);
  expect(await clip.writeCodes!({ ...request, scale: 1 }, never)).toEqual(await best(1));
});

test('a seed repeats its codes, and another one writes others', SLOW, async () => {
  const clip = await loadEncoders(host, ['text.safetensors', 'writing.safetensors'], 'ace');
  const drawn = (seed: bigint) => clip.writeCodes!({ ...request, temperature: 1, seed }, never);
  const codes = await drawn(7n);
  expect(codes.every((code) => code >= 0 && code < CODES)).toBe(true);
  expect(await drawn(7n)).toEqual(codes);
  expect(await drawn(8n)).not.toEqual(codes);
});

test('a canceled run ends, and a prompt that is too long is refused', SLOW, async () => {
  const clip = await loadEncoders(host, ['text.safetensors', 'writing.safetensors'], 'ace');
  const abort = new AbortController();
  const onCode = async () => abort.abort(new Error('canceled'));
  await expect(clip.writeCodes!({ ...request, onCode }, abort.signal)).rejects.toThrow('canceled');
  await expect(clip.writeCodes!({ ...request, prompt: 'a'.repeat(8193) }, never)).rejects.toThrow(
    '8193 tokens',
  );
});

test('the encoder of texts embeds lyrics, and writes no codes', SLOW, async () => {
  const clip = await loadEncoders(host, ['text.safetensors'], 'ace');
  expect(clip.writeCodes).toBeUndefined();
  const { tensor, lyricStates } = await clip.encode({ qwen3_06b: '(a tune:2)', lyrics: 'la' }, never);
  expect(tensor.shape).toEqual([1, 10, 1024]);
  expect(lyricStates!.shape).toEqual([1, 2, 1024]);
  const table = weightsFor(ace15TextEncoder(256))[EMBEDDINGS]!.data;
  expect(lyricStates!.data.slice(0, 1024)).toEqual(table.slice(176 * 1024, 177 * 1024));
});

test('a language model without tokens for codes is refused', SLOW, async () => {
  const small = weightsFor({ ...ace15CodeWriter(), [EMBEDDINGS]: [256, 16] });
  await writeWeights(host.files, 'models/text_encoders/small.safetensors', small);
  await expect(loadEncoders(host, ['text.safetensors', 'small.safetensors'], 'ace')).rejects.toThrow(
    'no tokens for codes of audio',
  );
});
