import { expect, test } from 'vitest';
import { EngineFailure } from '../shared/engine-failure.ts';
import { type Embedder, embedWithWllama, TextTooLong } from './embedding.ts';

const never = new AbortController().signal;
/**
 * An embedder with one token per letter and a limit of 20 tokens.
 * @param hasTokenizer whether texts can be counted without being embedded
 */
function fakeEmbedder(hasTokenizer: boolean) {
  const embeddedTexts: string[] = [];
  const embedder: Embedder = {
    async embed(text) {
      embeddedTexts.push(text);
      if (text.length > 20) throw new TextTooLong(text.length);
      return { vector: [text.length, 1], tokens: text.length };
    },
    tokenize: (text) => (hasTokenizer ? [...text].map((letter) => letter.charCodeAt(0)) : undefined),
    detokenize: (tokens) => String.fromCharCode(...tokens),
  };
  return { embedder, embeddedTexts };
}

test.each([true, false])('cuts a long text (with a tokenizer: %s)', async (hasTokenizer) => {
  const { embedder, embeddedTexts } = fakeEmbedder(hasTokenizer);
  const texts = ['short', 'x'.repeat(100)];
  const { vectors, tokens } = await embedWithWllama(
    embedder,
    texts,
    { maxTokens: 10, truncate: true },
    never,
  );
  expect(tokens[0]).toBe(5);
  expect(tokens[1]).toBeLessThanOrEqual(10);
  expect(tokens[1]).toBeGreaterThanOrEqual(7);
  expect(vectors[0]).toEqual(Float32Array.of(5 / Math.sqrt(26), 1 / Math.sqrt(26)));
  expect(embeddedTexts.length).toBeLessThan(6);
});

test.each([true, false])(
  'refuses a long text that may not be cut (with a tokenizer: %s)',
  async (hasTokenizer) => {
    const { embedder, embeddedTexts } = fakeEmbedder(hasTokenizer);
    const embedding = embedWithWllama(
      embedder,
      ['a', 'x'.repeat(15)],
      { maxTokens: 10, truncate: false },
      never,
    );
    await expect(embedding).rejects.toThrow(EngineFailure);
    await expect(embedding).rejects.toMatchObject({ failure: { promptTokens: 15, contextLength: 10 } });
    expect(embeddedTexts).toEqual(hasTokenizer ? [] : ['a', 'x'.repeat(15)]);
  },
);

test('an abort stops between two texts', async () => {
  const { embedder, embeddedTexts } = fakeEmbedder(true);
  const abort = new AbortController();
  const abortingEmbedder: Embedder = {
    ...embedder,
    embed: async (text) => {
      if (embeddedTexts.length === 1) abort.abort(new Error('left'));
      return embedder.embed(text);
    },
  };
  const options = { maxTokens: 10, truncate: true };
  const embedding = embedWithWllama(abortingEmbedder, ['a', 'b', 'c', 'd'], options, abort.signal);
  await expect(embedding).rejects.toThrow('left');
  expect(embeddedTexts).toEqual(['a', 'b']);
});
