import { expect, test } from 'vitest';
import { EngineFailure } from '../shared/engine-failure.ts';
import { type Embedder, embedTexts, TooLong } from './embedding.ts';

const never = new AbortController().signal;
/** A token a letter, room for 20; `counts`: whether texts can be counted without asking. */
function embedder(counts: boolean) {
  const asked: string[] = [];
  const it: Embedder = {
    async embed(text) {
      asked.push(text);
      if (text.length > 20) throw new TooLong(text.length);
      return { vector: [text.length, 1], tokens: text.length };
    },
    tokenize: (text) => (counts ? [...text].map((letter) => letter.charCodeAt(0)) : undefined),
    detokenize: (tokens) => String.fromCharCode(...tokens),
  };
  return { it, asked };
}

test.each([true, false])('cuts a long text (counted before: %s)', async (counts) => {
  const { it, asked } = embedder(counts);
  const texts = ['short', 'x'.repeat(100)];
  const { vectors, tokens } = await embedTexts(it, texts, { maxTokens: 10, truncate: true }, never);
  expect(tokens[0]).toBe(5);
  expect(tokens[1]).toBeLessThanOrEqual(10);
  expect(tokens[1]).toBeGreaterThanOrEqual(7);
  expect(vectors[0]).toEqual(Float32Array.of(5 / Math.sqrt(26), 1 / Math.sqrt(26)));
  expect(asked.length).toBeLessThan(6);
});

test.each([true, false])('refuses a long text that may not be cut (counted before: %s)', async (counts) => {
  const { it, asked } = embedder(counts);
  const asking = embedTexts(it, ['a', 'x'.repeat(15)], { maxTokens: 10, truncate: false }, never);
  await expect(asking).rejects.toThrow(EngineFailure);
  await expect(asking).rejects.toMatchObject({ failure: { promptTokens: 15, contextLength: 10 } });
  if (counts) expect(asked).toEqual([]);
});

test('stops between two texts', async () => {
  const { it, asked } = embedder(true);
  const leaving = new AbortController();
  const slow: Embedder = {
    ...it,
    embed: async (text) => {
      if (asked.length === 1) leaving.abort(new Error('left'));
      return it.embed(text);
    },
  };
  const options = { maxTokens: 10, truncate: true };
  await expect(embedTexts(slow, ['a', 'b', 'c', 'd'], options, leaving.signal)).rejects.toThrow('left');
  expect(asked).toEqual(['a', 'b']);
});
