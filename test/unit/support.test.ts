import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { expect, test } from 'vitest';
import { EngineCrashed, type EngineEvent, type GenerateRequest } from '#core/host';
import { greedySampling } from '#test/support/local-models/greedy-sampling.ts';
import { createTestHost } from '../support/host/test-host.ts';
import { ScriptedEngine } from '../support/local-models/scripted-engine.ts';
import { ScriptedTokenizer } from '../support/local-models/scripted-tokenizer.ts';
import { rewriteGguf } from '../support/model-files/rewrite-gguf.ts';
import { CHATML, tinyGguf } from '../support/model-files/tiny-gguf.ts';

const request: GenerateRequest = {
  prompt: '<|im_start|>user\nHi<|im_end|>\n',
  sampling: greedySampling(),
  maxTokens: 100,
  keep: 0,
  shift: true,
};
const loadOptions = { contextLength: 64, batchSize: 8, gpuLayers: 0, threads: 1 };
const never = new AbortController().signal;

async function load(engine: ScriptedEngine) {
  return engine.load([], loadOptions, never, () => {});
}
async function collect(events: AsyncIterable<EngineEvent>) {
  const all: EngineEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test('the tokenizer gives every text back', () => {
  const tokenizer = new ScriptedTokenizer();
  for (const text of [
    '',
    ' ',
    '<|im_start|>user\n a  b<|im_end|>\n',
    '<|',
    'a<|b',
    'é 🙂\t\n<||>',
    'x<|y|>z',
  ]) {
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  }
  expect(() => tokenizer.decode([10_000])).toThrow(RangeError);
});

test('an answer comes as tokens with counts, and a repeated prompt from the cache', async () => {
  const model = await load(new ScriptedEngine({ script: (prompt) => `You said ${prompt.length}` }));
  const events = await collect(model.generate(request, never));
  expect(events.flatMap((event) => (event.type === 'token' ? [event.text] : []))).toEqual([
    'You',
    ' said',
    ' 30',
  ]);
  const [first, second] = [events, await collect(model.generate(request, never))].map((all) => all.at(-1)!);
  expect(first).toMatchObject({ reason: 'stop', counts: { cachedTokens: 0, generatedTokens: 4 } });
  const tokens = model.engine.tokenizer.encode(request.prompt as string).length;
  expect(second).toMatchObject({ counts: { promptTokens: tokens, cachedTokens: tokens - 1 } });
  const short = await collect(model.generate({ ...request, maxTokens: 2 }, never));
  expect(short.at(-1)).toMatchObject({ reason: 'length', counts: { generatedTokens: 2 } });
});

test('aborts and crashes end a generation and are observed', async () => {
  const engine = new ScriptedEngine({ tokenDelay: 5 });
  const model = await load(engine);
  const controller = new AbortController();
  const aborted = (async () => {
    for await (const event of model.generate(request, controller.signal)) {
      if (event.type === 'token') controller.abort(new Error('left'));
    }
  })();
  await expect(aborted).rejects.toThrow('left');
  expect(engine.calls[0]).toMatchObject({ outcome: 'aborted', sent: 1 });
  const crashed = collect(model.generate(request, never));
  setTimeout(() => model.crash('killed'), 7);
  await expect(crashed).rejects.toThrow(EngineCrashed);
  expect(engine.calls[1]!.outcome).toBe('crashed');
  expect((await model.gone).message).toBe('killed');
  expect(engine.alive).toEqual([]);
});

test('blobs: resumed, verified, one writer at a time, full', async () => {
  const { blobs } = createTestHost();
  const first = await blobs.openPartial('k');
  await first.append(new TextEncoder().encode('hel'));
  const waiting = blobs.openPartial('k');
  await first.close();
  const second = await waiting;
  expect(second.size).toBe(3);
  blobs.quota = 5;
  await second.append(new TextEncoder().encode('lo'));
  await expect(second.append(new Uint8Array(1))).rejects.toThrow('no space');
  const info = await second.commit('sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
  expect(await new Response(blobs.read(info.digest, 1, 3)).text()).toBe('el');
  const other = await blobs.openPartial('k2');
  await expect(other.commit(info.digest)).rejects.toThrow('digest mismatch');
});

test('records and the clock follow the test', async () => {
  const host = createTestHost({
    schema: { version: 1, collections: { things: { indexes: ['at'] } }, migrations: {} },
  });
  const things = host.records.collection<{ at: number }>('things');
  for (const at of [3, 1, 2]) await things.put(`k${at}`, { at });
  expect((await things.list({ index: 'at', from: 2, reverse: true })).map(({ key }) => key)).toEqual([
    'k3',
    'k2',
  ]);
  expect(() => host.records.collection('other')).toThrow('unknown collection');
  const fired: number[] = [];
  const start = host.clock.now();
  host.clock.after(20, () => fired.push(host.clock.now() - start));
  host.clock.after(10, () => host.clock.after(5, () => fired.push(host.clock.now() - start)));
  host.clock.after(12, () => fired.push(-1))();
  await host.time!.advance(30);
  expect(fired.map(Math.round)).toEqual([15, 20]);
});

test('a tiny GGUF reads as one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-gguf-'));
  try {
    const path = join(folder, 'tiny.gguf');
    const bytes = tinyGguf({ metadata: { 'llama.pooling_type': { type: 'uint32', value: 1 } } });
    writeFileSync(path, bytes);
    const { metadata, tensorInfos, tensorDataOffset } = await gguf(path, { allowLocalFile: true });
    expect(metadata).toMatchObject({
      'general.architecture': 'llama',
      'llama.pooling_type': 1,
      'tokenizer.chat_template': CHATML,
    });
    expect(tensorInfos.map(({ name }) => name)).toContain('output_norm.weight');
    expect(bytes.length).toBeGreaterThan(Number(tensorDataOffset));
    const other = join(folder, 'other.gguf');
    await rewriteGguf(path, other, {
      'llama.pooling_type': undefined,
      'tokenizer.chat_template': { type: 'string', value: 'a much longer template than before'.repeat(50) },
      'llama.new': { type: 'uint32', value: 7 },
    });
    const rewritten = await gguf(other, { allowLocalFile: true });
    expect(rewritten.metadata).toMatchObject({ 'llama.new': 7, 'llama.context_length': 2048 });
    expect(rewritten.metadata).not.toHaveProperty(['llama.pooling_type']);
    expect(rewritten.tensorInfos).toEqual(tensorInfos);
    const data = (file: string, offset: bigint) => readFileSync(file).subarray(Number(offset));
    expect(data(other, rewritten.tensorDataOffset)).toEqual(data(path, tensorDataOffset));

    const fewer = join(folder, 'fewer.gguf');
    await rewriteGguf(path, fewer, {}, (name) => name !== 'token_embd.weight');
    const left = await gguf(fewer, { allowLocalFile: true });
    expect(left.tensorInfos.map(({ name }) => name)).toEqual(
      tensorInfos.flatMap(({ name }) => (name === 'token_embd.weight' ? [] : [name])),
    );
    const last = tensorInfos.at(-1)!;
    const lastLeft = left.tensorInfos.at(-1)!;
    expect(data(fewer, left.tensorDataOffset + lastLeft.offset)).toEqual(
      data(path, tensorDataOffset + last.offset),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
