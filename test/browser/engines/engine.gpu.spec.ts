// wllama on WebGPU in real Chromium, on a software GPU with shader-f16 (test/software-gpu): about one token a second.
import { expect, type Page, test } from '@playwright/test';
import { CHAT, fixtureOf, siteWithWeights, WEIGHTS_FILE_PATH } from '../support/fixture-page.ts';
import type { Site } from '../support/fixture-site.ts';
import { type GpuWatch, watchGpu } from '../support/workers.ts';

test.describe.configure({ mode: 'serial' });

const QUESTION = { prompt: CHAT('Why is the sky blue?'), maxTokens: 4 };
const ANSWER = 'The sky blue is';

let site: Site;
let page: Page;
let gpu: GpuWatch;
let fixture: ReturnType<typeof fixtureOf>;
let weights: { digest: `sha256:${string}`; size: number };
let model: number;

test.beforeAll(async ({ browser }) => {
  site = await siteWithWeights(true);
  const context = await browser.newContext();
  page = await context.newPage();
  gpu = await watchGpu(page, context);
  await page.goto(site.origin);
  fixture = fixtureOf(page);
  weights = await fixture.call('store', WEIGHTS_FILE_PATH);
});

test.afterAll(async () => {
  await page?.context().close();
  await site?.close();
});

test('the adapter has 16-bit floats and a name', async () => {
  const report = await fixture.call('probe');
  expect(report).toMatchObject({ isUsable: true });
  expect(report.name).toMatch(/^WebGPU \(/);
  expect((await fixture.call('describeHost')).gpus).toHaveLength(1);
});

test('a chat runs on WebGPU, and only the engine worker submits work', async () => {
  const loaded = await fixture.call('load', weights, { contextLength: 512 });
  model = loaded.id;
  expect(loaded.device).toEqual({ kind: 'gpu', name: expect.stringMatching(/^WebGPU \(/) });
  expect(loaded.memory.gpu).toBeGreaterThan(50_000_000);
  const before = await gpu.submits();
  const answer = await fixture.generate(model, QUESTION);
  expect(answer.error).toBeUndefined();
  expect(answer.text).toBe(ANSWER);
  const after = await gpu.submits();
  expect(after['wasm worker']).toBeGreaterThan(before['wasm worker'] ?? 0);
  for (const [where, submits] of Object.entries(after)) {
    if (where !== 'wasm worker') expect(submits, where).toBe(0);
  }
});

test('the same greedy tokens as on the CPU', async () => {
  const cpu = await fixture.call('load', weights, { contextLength: 512, gpuLayers: 0 });
  expect(cpu.device).toMatchObject({ kind: 'cpu', note: expect.stringContaining('switched off') });
  const onCpu = await fixture.generate(cpu.id, QUESTION);
  const onGpu = await fixture.generate(model, QUESTION);
  expect(onGpu.ids).toEqual(onCpu.ids);
  expect(onGpu.text).toBe(onCpu.text);
  expect(onGpu.device.kind).toBe('gpu');
  await fixture.call('dispose', cpu.id);
});

test('after a device loss between requests the model runs on the CPU, and reports that', async () => {
  expect(await gpu.destroyDevices()).toBeGreaterThan(0);
  await expect.poll(async () => (await fixture.call('device', model))?.kind, { timeout: 60_000 }).toBe('cpu');
  const answer = await fixture.generate(model, QUESTION);
  expect(answer.error).toBeUndefined();
  expect(answer.text).toBe(ANSWER);
  expect(answer.device.note).toMatch(/GPU device was lost.*on the CPU since then/);
  expect(await fixture.call('gone', model)).toBeUndefined();
  await fixture.call('dispose', model);
});

test('after a device loss before the first token the request starts again unnoticed', async () => {
  const { id } = await fixture.call('load', weights, { contextLength: 512 });
  expect((await fixture.call('device', id))?.kind).toBe('gpu');
  const answering = fixture.generate(id, {
    ...QUESTION,
    prompt: CHAT(`${'Well, '.repeat(20)}why is the sky blue?`),
  });
  await page.waitForTimeout(500);
  expect(await gpu.destroyDevices()).toBeGreaterThan(0);
  const answer = await answering;
  expect(answer.error).toBeUndefined();
  expect(answer.tokens).toBe(4);
  expect(answer.device).toMatchObject({ kind: 'cpu', note: expect.stringContaining('lost') });
  await fixture.call('dispose', id);
});

test('a device loss in mid-answer is an error with its cause, and the CPU gives the next answer', async () => {
  const { id } = await fixture.call('load', weights, { contextLength: 512 });
  const answering = fixture.generate(id, { ...QUESTION, maxTokens: 40 });
  await expect.poll(() => fixture.call('tokensSeen'), { timeout: 120_000 }).toBeGreaterThan(1);
  expect(await gpu.destroyDevices()).toBeGreaterThan(0);
  const answer = await answering;
  expect(answer.error).toMatch(/^EngineError: the GPU device was lost.*ask again/);
  const next = await fixture.generate(id, QUESTION);
  expect(next.text).toBe(ANSWER);
  expect(next.device.kind).toBe('cpu');
  await fixture.call('dispose', id);
});
