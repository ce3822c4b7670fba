// A chat on WebGPU through the service worker, the server worker and the engine worker. The GPU is the software GPU of
// test/software-gpu. The test counts GPU work from outside.
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { makeStateHome } from '../../contract/transports/states.ts';
import { removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { type GpuWatch, watchGpu } from '../support/workers.ts';

test.describe.configure({ mode: 'serial' });

const model = 'smollm2:135m';

let home: string;
let shim: RunningShim;
let context: BrowserContext;
let page: Page;
let gpu: GpuWatch;

test.beforeAll(async ({ browser }) => {
  home = await makeStateHome('ready');
  shim = await startShim(home);
  context = await browser.newContext();
  page = await context.newPage();
  gpu = await watchGpu(page, context);
  await page.goto(`http://localhost:${shim.ports.app}/`);
  await page.getByRole('button', { name: `Download ${model}` }).click();
  const installed = () =>
    page.evaluate(async () =>
      (await (await fetch('/api/tags')).json()).models.map(({ name }: { name: string }) => name),
    );
  await expect.poll(installed, { timeout: 180_000 }).toContain(model);
});

test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

/** Sends a short greedy chat by fetch. Returns the answer, and what `/api/ps` reports about the model afterwards. */
async function chat(options: Record<string, number> = {}) {
  return page.evaluate(
    async ([name, options]) => {
      const ask = async (path: string, body?: object) => {
        const response = await fetch(path, body && { method: 'POST', body: JSON.stringify(body) });
        if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
        return response.json();
      };
      const answer = await ask('/api/chat', {
        model: name,
        stream: false,
        messages: [{ role: 'user', content: 'Why is the sky blue?' }],
        options: { temperature: 0, num_predict: 4, num_ctx: 512, ...(options as object) },
      });
      const { models } = await ask('/api/ps');
      return {
        text: answer.message.content as string,
        loaded: models[0] as { size: number; size_vram: number },
      };
    },
    [model, options] as const,
  );
}

let onGpu: string;

test('a chat through the service worker runs on WebGPU, in the engine worker alone', async () => {
  const { text, loaded } = await chat();
  onGpu = text;
  expect(text).toMatch(/^\w+ \w+/);
  expect(loaded.size_vram).toBeGreaterThan(50_000_000);
  const submits = await gpu.submits();
  expect(submits['wasm worker']).toBeGreaterThan(0);
  expect(submits).toHaveProperty('service worker');
  for (const [where, count] of Object.entries(submits)) {
    if (where !== 'wasm worker') expect(count, where).toBe(0);
  }
});

test('the CPU gives the same answer', async () => {
  const { text, loaded } = await chat({ num_gpu: 0 });
  expect(text).toBe(onGpu);
  expect(loaded.size_vram).toBe(0);
});
