// onnxruntime-web as a tensor engine, in a dedicated worker of real Chromium, with the real all-MiniLM-L6-v2.
import { expect, type Page, test } from '@playwright/test';
import { minilmReference } from '../../support/local-models/minilm.ts';
import { fixtureOf } from '../support/fixture-page.ts';
import type { Site } from '../support/fixture-site.ts';
import { cosines, siteWithMinilm, storeMinilm } from '../support/minilm-page.ts';

// A processor that other tests use too is slow.
test.describe.configure({ mode: 'serial', timeout: 240_000 });

let site: Site;
let page: Page;
let fixture: ReturnType<typeof fixtureOf>;
let id: number;

test.beforeAll(async ({ browser }) => {
  site = await siteWithMinilm(true);
  page = await browser.newPage();
});
test.afterAll(async () => {
  await page?.close();
  await site?.close();
});

test('fetches no file of onnxruntime before a model needs it', async () => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  await page.goto(site.origin);
  fixture = fixtureOf(page);
  await fixture.call('describeHost');
  expect(fetched.filter((url) => /ort|tensor\.worker/.test(url))).toEqual([]);
});

test('gives the vectors of sentence-transformers on the CPU', async () => {
  const files = await storeMinilm(fixture);
  const loaded = await fixture.call('loadSentence', files, true);
  id = loaded.id;
  expect(loaded.device).toMatchObject({
    kind: 'cpu',
    name: 'CPU, 1 thread',
    note: expect.stringContaining('WebGPU'),
  });
  for (const each of await cosines(fixture, id, minilmReference.length)) expect(each).toBeGreaterThan(0.9999);
});

test('the end of its worker fails only the running request', async () => {
  const worker = page.workers().find((each) => /tensor\.worker/.test(each.url()))!;
  const call = fixture.call(
    'embed',
    id,
    Array.from({ length: 400 }, (_, i) => `text number ${i}`),
  );
  await worker.evaluate(() => self.close()).catch(() => {});
  expect(await call).toEqual({ error: expect.stringMatching(/^EngineCrashed: /) });
  expect(await fixture.call('gone', id)).toMatch(/^EngineCrashed: /);
});
