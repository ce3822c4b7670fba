import { describe, expect, test } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { SCRIPTED_DIMENSIONS, type ScriptedOptions } from '#test/support/local-models/scripted-engine.ts';
import { setUp } from '#test/support/local-models/text-runs.ts';
import type { EmbedRequest } from '../runs/requests.ts';
import { normalize, shorten } from './vector.ts';

const request = (rest: Partial<EmbedRequest> = {}): EmbedRequest => ({
  model: 'embeds',
  texts: ['hello world'],
  truncate: true,
  dimensions: 0,
  options: {},
  ...rest,
});
const start = (options: ScriptedOptions = {}) => setUp(undefined, options);
const long = 'a lot of words and then some more '.repeat(400);
const norm = (vector: Float32Array) => Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));

describe('vectors', () => {
  test('come in the order of their texts, with length 1', async () => {
    const { service, engine } = start();
    const texts = ['a b', 'c', 'a b'];
    const { vectors, promptTokens } = await service.embed(request({ texts }), neverAborted);
    expect(vectors).toHaveLength(3);
    expect(vectors[2]).toEqual(vectors[0]);
    expect(vectors[1]).not.toEqual(vectors[0]);
    for (const vector of vectors) expect(norm(vector)).toBeCloseTo(1, 6);
    const count = (text: string) => engine.tokenizer.encode(text).length;
    expect(promptTokens).toBe(2 * count('a b') + count('c'));
    expect(engine.loads[0]?.options).toMatchObject({ embedding: true, batchSize: 2048 });
  });

  test.each([
    [8, 8],
    [0, SCRIPTED_DIMENSIONS],
    [-1, SCRIPTED_DIMENSIONS],
    [100_000, SCRIPTED_DIMENSIONS],
  ])('with dimensions %d have %d numbers', async (dimensions, length) => {
    const texts = ['some words to fill the dimensions with, as many as there are letters in here'];
    const [vector] = (await start().service.embed(request({ texts, dimensions }), neverAborted)).vectors;
    expect(vector).toHaveLength(length);
    expect(norm(vector!)).toBeCloseTo(1, 6);
  });

  test('are cut to their beginning and normalized, except zeros', () => {
    const vector = normalize(Float32Array.of(3, 4, 12));
    expect([...shorten(vector, 2)].map((x) => x.toFixed(4))).toEqual(['0.6000', '0.8000']);
    expect(shorten(vector, 3)).toBe(vector);
    expect([...shorten(Float32Array.of(0, 0, 1), 2)]).toEqual([0, 0]);
  });
});

describe('a model', () => {
  test('is loaded by a request without texts, and unloaded with keep_alive 0', async () => {
    const { service, engine } = start();
    const { vectors } = await service.embed(request({ texts: [] }), neverAborted);
    expect([vectors, engine.alive.length, service.loaded()[0]?.name]).toEqual([[], 1, 'embeds:latest']);
    await service.embed(request({ keepAlive: 0 }), neverAborted);
    expect(service.loaded()).toEqual([]);
  });

  test('that only chats is loaded by a request without texts, too', async () => {
    const { service } = start();
    await service.embed(request({ model: 'm', texts: [] }), neverAborted);
    expect(service.loaded()).toHaveLength(1);
  });

  test('answers one request after the other', async () => {
    const { service, engine } = start({ embedDelay: 5 });
    const ask = (text: string) => service.embed(request({ texts: [text, text] }), neverAborted);
    await Promise.all([ask('one'), ask('two')]);
    expect(engine.models[0]?.embedded).toEqual(['one', 'one', 'two', 'two']);
  });
});

describe('long texts', () => {
  test('are cut at the context', async () => {
    const { service } = start();
    const { promptTokens } = await service.embed(
      request({ texts: [long], options: { num_ctx: 128 } }),
      neverAborted,
    );
    expect(promptTokens).toBe(128);
    expect((await service.embed(request({ texts: [long] }), neverAborted)).promptTokens).toBe(2048);
  });

  test('are refused when the request forbids a cut', async () => {
    const uncut = request({ texts: ['short', long], truncate: false, options: { num_ctx: 128 } });
    const refusal = { status: 400, message: 'the input length exceeds the context length' };
    await expect(start().service.embed(uncut, neverAborted)).rejects.toMatchObject(refusal);
    await expect(start().service.embed({ ...uncut, model: 'm' }, neverAborted)).rejects.toMatchObject(
      refusal,
    );
  });
});

const NONE = 'This server does not support embeddings. Start it with `--embeddings`';
test.each<[string, Partial<EmbedRequest>, number, string]>([
  ['an unknown model', { model: 'nope' }, 404, 'model "nope" not found, try pulling it first'],
  ['no model', { model: '' }, 404, "model '' not found"],
  ['an invalid name', { model: 'bad name!' }, 400, 'invalid model name'],
  ['a cloud model', { model: 'x:cloud' }, 403, 'ollama cloud is disabled: remote model is unavailable'],
  ['a model that only chats', { model: 'm' }, 501, NONE],
  ['a model that only chats, when the request forbids a cut', { model: 'm', truncate: false }, 501, NONE],
  [
    'an empty text among others',
    { texts: ['a', ''] },
    400,
    'input exceeds maximum context length and cannot be truncated further',
  ],
])('refuses %s', async (_, rest, status, message) => {
  await expect(start().service.embed(request(rest), neverAborted)).rejects.toMatchObject({ status, message });
});

test('a client that disconnects stops the work and frees its turn', async () => {
  const { service, engine } = start({ embedDelay: 20 });
  const client = new AbortController();
  const texts = Array.from({ length: 100 }, (_, i) => `text ${i}`);
  const running = service.embed(request({ texts }), client.signal);
  await new Promise((resolve) => setTimeout(resolve, 70));
  const waiting = expect(running).rejects.toThrow('left');
  client.abort(new DOMException('left', 'AbortError'));
  await waiting;
  const done = engine.models[0]!.embedded.length;
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(100);
  await service.embed(request({ texts: ['next'] }), neverAborted);
  expect(engine.models[0]!.embedded.at(-1)).toBe('next');
  expect(engine.models[0]!.embedded.length).toBe(done + 1);
});

test('a crash is an error, and the next request loads the model again', async () => {
  const { service, engine } = start({ embedDelay: 20 });
  await service.embed(request({ texts: [] }), neverAborted);
  const running = expect(service.embed(request(), neverAborted)).rejects.toMatchObject({
    status: 500,
    message: expect.stringContaining('model runner has unexpectedly stopped'),
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  engine.models[0]!.crash();
  await running;
  await service.embed(request(), neverAborted);
  expect(engine.models).toHaveLength(2);
});
