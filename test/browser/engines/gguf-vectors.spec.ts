// Vectors of a GGUF model by wllama in real Chromium, on the CPU, compared with llama-server's.
import { expect, test } from '@playwright/test';
import helloVector from '../../embeddings/smollm2-hello.json' with { type: 'json' };
import { cosine } from '../../support/local-models/minilm.ts';
import { modelVariant } from '../../support/local-models/model-variants.ts';
import { fixtureOf } from '../support/fixture-page.ts';
import { fixtureSite } from '../support/fixture-site.ts';

test.setTimeout(240_000);

test('a GGUF model with pooling gives the vectors of llama-server, and cuts long texts', async ({ page }) => {
  const site = await fixtureSite({
    isolated: true,
    files: {
      '/weights.gguf': await modelVariant('smollm2-embed'),
      '/quick.gguf': await modelVariant('smollm2-embed-quick'),
    },
  });
  const options = { contextLength: 256, batchSize: 256, embedding: true };
  try {
    await page.goto(site.origin);
    const fixture = fixtureOf(page);
    const vectors = async (path: string, texts: string[]) => {
      const { id } = await fixture.call('load', await fixture.call('store', path), options);
      const answer = await fixture.call('embed', id, texts);
      if ('error' in answer) throw new Error(answer.error);
      return answer;
    };
    const [hello] = (await vectors('/weights.gguf', ['hello'])).vectors;
    expect(hello).toHaveLength(576);
    expect(cosine(hello!.slice(0, helloVector.length), helloVector)).toBeGreaterThan(0.999);
    const long = 'The quick brown fox jumps over the lazy dog. '.repeat(60);
    const answer = await vectors('/quick.gguf', ['hello', long]);
    const [short, cut] = answer.vectors;
    expect(cosine(cut!, short!)).toBeLessThan(0.99);
    expect(answer.tokens[0]).toBe(1);
    expect(answer.tokens[1]).toBeLessThanOrEqual(256);
  } finally {
    await site.close();
  }
});
