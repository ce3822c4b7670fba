import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LanguageModel } from '#core/host';
import { shorten } from '#core/local-models/embedding/vector.ts';
import helloVector from '#test/embeddings/smollm2-hello.json' with { type: 'json' };
import { modelVariant } from '#test/support/local-models/model-variants.ts';
import { nodeLlamaCppEngine } from './node-llama-cpp.ts';

const TIMEOUT = 120_000;
const never = new AbortController().signal;
const cosine = (a: Float32Array, b: ArrayLike<number>) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

let model: LanguageModel;
beforeAll(async () => {
  const path = await modelVariant('smollm2-embed');
  const engine = nodeLlamaCppEngine({ pathOf: () => path });
  const { size } = await import('node:fs/promises').then(({ stat }) => stat(path));
  model = await engine.load(
    [{ role: 'weights', digest: `sha256:${'e'.repeat(64)}`, size }],
    { contextLength: 512, batchSize: 512, gpuLayers: 0, threads: 0, embedding: true },
    never,
    () => {},
  );
}, TIMEOUT);
afterAll(() => model?.dispose());

const embed = (texts: string[], maxTokens = 512, truncate = true, signal = never) =>
  model.embed!(texts, { maxTokens, truncate }, signal);

test('computes the vectors of llama-server', async () => {
  const { vectors, tokens } = await embed(['hello', 'a quite different and longer text', 'hello']);
  expect(tokens[0]).toBe(1);
  expect(vectors[0]).toHaveLength(576);
  expect(vectors[2]).toEqual(vectors[0]);
  expect(cosine(shorten(vectors[0]!, helloVector.length), helloVector)).toBeGreaterThan(0.999);
  expect(cosine(vectors[0]!, vectors[0]!)).toBeCloseTo(1, 5);
  expect(cosine(vectors[1]!, vectors[0]!)).toBeLessThan(0.99);
});

test('truncates a long text, or refuses it', async () => {
  const long = 'The quick brown fox jumps over the lazy dog. '.repeat(40);
  expect((await embed([long], 128)).tokens).toEqual([126]);
  await expect(embed([long], 128, false)).rejects.toMatchObject({
    name: 'ContextExceeded',
    contextLength: 128,
  });
});

test('stops between texts when the client disconnects', async () => {
  const leaving = new AbortController();
  const texts = Array.from({ length: 200 }, (_, i) => `text number ${i} with some words in it`);
  const embedding = embed(texts, 512, true, leaving.signal);
  setTimeout(() => leaving.abort(new Error('left')), 100);
  await expect(embedding).rejects.toThrow('left');
  const waited = await timed(() => embed(['next']));
  // All texts would take 200 times as long as a single one.
  expect(waited / (await timed(() => embed(['one'])))).toBeLessThan(100);
});

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
