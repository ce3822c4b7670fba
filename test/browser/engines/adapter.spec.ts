// LoRA adapters and models of several files in wllama, in real Chromium, on a model with random weights.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { splitGguf } from '../../support/model-files/split-gguf.ts';
import { tinyLora } from '../../support/model-files/tiny-lora.ts';
import { EMBEDDING_LENGTH, tinyLanguageModel } from '../../support/model-files/tiny-vision.ts';
import { CHAT, fixtureOf } from '../support/fixture-page.ts';
import { fixtureSite, type Site } from '../support/fixture-site.ts';

let site: Site;
let page: Page;
let folder: string;
let fixture: ReturnType<typeof fixtureOf>;

const FILES = {
  '/model.gguf': tinyLanguageModel(),
  '/strong.gguf': tinyLora({ width: EMBEDDING_LENGTH, strength: 2 }),
  '/nothing.gguf': tinyLora({ width: EMBEDDING_LENGTH, strength: 0 }),
  '/other.gguf': tinyLora({ width: 2 * EMBEDDING_LENGTH, strength: 1 }),
  '/gpt2.gguf': tinyLora({ width: EMBEDDING_LENGTH, strength: 1, architecture: 'gpt2' }),
};

test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-adapter-'));
  const files: Record<string, string> = {};
  for (const [path, bytes] of Object.entries(FILES)) {
    files[path] = join(folder, path);
    await writeFile(files[path], bytes);
  }
  for (const [index, path] of (await splitGguf(files['/model.gguf']!, folder, 2)).entries())
    files[`/part-${index + 1}.gguf`] = path;
  site = await fixtureSite({ isolated: true, files });
  page = await browser.newPage();
  await page.goto(site.origin);
  fixture = fixtureOf(page);
});

test.afterAll(async () => {
  await page?.close();
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

async function load(adapters: string[], [first, ...parts]: string[] = ['/model.gguf']): Promise<number> {
  const weights = await fixture.call('store', first!);
  const extraFiles = [];
  for (const [role, paths] of [
    ['part', parts],
    ['adapter', adapters],
  ] as const)
    for (const path of paths) extraFiles.push({ role, ...(await fixture.call('store', path)) });
  return (await fixture.call('load', weights, { contextLength: 256, gpuLayers: 0 }, undefined, extraFiles))
    .id;
}

async function likely(adapters: string[] = [], weights?: string[]): Promise<unknown> {
  const answer = await fixture.generate(await load(adapters, weights), {
    prompt: CHAT('What is this?'),
    maxTokens: 3,
    topLogprobs: 5,
  });
  expect(answer.error).toBeUndefined();
  return answer.logprobs;
}

test('an adapter changes the probabilities of tokens; an adapter of zeros leaves them unchanged', async () => {
  const base = await likely();
  expect(await likely(['/nothing.gguf'])).toEqual(base);
  const strong = await likely(['/strong.gguf']);
  expect(strong).not.toEqual(base);
  expect(await likely(['/nothing.gguf', '/strong.gguf'])).toEqual(strong);
});

test('a model of two files gives the probabilities of the one that was split', async () => {
  const parts = ['/part-1.gguf', '/part-2.gguf'];
  expect(await likely([], parts)).toEqual(await likely());
  await expect(likely(['/strong.gguf'], parts)).rejects.toThrow(/no adapters with a model of several files/);
});

for (const [what, path] of [
  ['of another width', '/other.gguf'],
  ['of another architecture', '/gpt2.gguf'],
] as const) {
  test(`an adapter ${what} is refused with its name`, async () => {
    await expect(load([path])).rejects.toThrow(/ModelUnsupported: .*adapter/);
  });
}
