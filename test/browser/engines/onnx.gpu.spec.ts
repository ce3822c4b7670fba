// onnxruntime-web on WebGPU in real Chromium, on a software GPU (test/software-gpu): one short text.
import { expect, test } from '@playwright/test';
import { fixtureOf } from '../support/fixture-page.ts';
import { cosines, siteWithMinilm, storeMinilm } from '../support/minilm-page.ts';
import { watchGpu } from '../support/workers.ts';

test.setTimeout(300_000);

test('all-MiniLM gives the vector of sentence-transformers on WebGPU', async ({ browser }) => {
  const site = await siteWithMinilm(true);
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const gpu = await watchGpu(page, context);
    await page.goto(site.origin);
    const fixture = fixtureOf(page);
    const loaded = await fixture.call('loadSentence', await storeMinilm(fixture), true);
    expect(loaded.device).toEqual({ kind: 'gpu', name: expect.stringMatching(/^WebGPU \(/) });
    const before = await gpu.submits();
    for (const each of await cosines(fixture, loaded.id, 1)) expect(each).toBeGreaterThan(0.999);
    const total = (submits: Record<string, number>) =>
      Object.values(submits).reduce((sum, count) => sum + count, 0);
    expect(total(await gpu.submits())).toBeGreaterThan(total(before));
  } finally {
    await context.close();
    await site.close();
  }
});
