/** The default graph in a tab on the CPU, by plain fetch and WebSocket, compared with the same graph in Node. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import type { Files } from '#core/host';
import {
  addEmojiModel,
  defaultGraph,
  EMOJI,
  writeEmojiModel,
} from '../../support/model-files/emoji-model.ts';
import { writeTinyDiffusion } from '../../support/model-files/tiny-diffusion.ts';
import { writeTextEncoder, writeUnet } from '../../support/model-files/tiny-parts.ts';
import type { StaticSite } from '../../support/network/static-files.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { filesOfTab } from '../../support/processes/tab.ts';
import { differenceOf, drawInPage, drawOnPort, imageSite, openImageSite } from '../support/image-site.ts';
import { loadClients } from '../support/load-clients.ts';

test.describe.configure({ mode: 'serial', timeout: 240_000 });

const MB = 1024 * 1024;
const long = defaultGraph({ steps: 5000, seed: 2 });

let home: string;
let shim: RunningShim;
let port: string;
let site: StaticSite;
let page: Page;

test.beforeAll(async ({ browser }) => {
  home = await makeHome([]);
  await addEmojiModel(home);
  shim = await startShim(home);
  port = `http://127.0.0.1:${shim.ports['image-workflows']}`;
  site = await imageSite();
  page = await browser.newPage();
  await openImageSite(page, site);
  await writeEmojiModel(filesOfTab(page));
});
test.afterAll(async () => {
  await page?.close();
  await site?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

test('one seed gives one image in the tab and in Node', async () => {
  const graph = defaultGraph({ seed: 2 ** 32 + 7, text: 'a red heart' });
  const [drawn, reference] = [await drawInPage(page, graph), await drawOnPort(port, graph)];
  expect(drawn.outcome).toBe('execution_success');
  expect(drawn.heard).toEqual(
    expect.arrayContaining(['execution_start', 'executing', 'progress', 'executed']),
  );
  expect((await differenceOf(drawn.image!, reference)).largest).toBeLessThanOrEqual(1);
  const other = await drawOnPort(port, defaultGraph({ seed: 8, text: 'a red heart' }));
  expect((await differenceOf(drawn.image!, other)).largest).toBeGreaterThan(20);
});

test('stock clients of the page submit, follow and fetch', async () => {
  await loadClients(page, 'images.ts');
  const graph = defaultGraph({ seed: 11 });
  const drawn = await page.evaluate(async (prompt) => {
    const { CallWrapper, Client, ComfyApi, PromptBuilder } = (
      globalThis as unknown as { clients: typeof import('../clients/images.ts') }
    ).clients;
    const startOf = async (blob: Blob) =>
      String.fromCharCode(...new Uint8Array(await blob.slice(1, 4).arrayBuffer()));

    const canvas = new Client({ api_host: location.host });
    canvas.connect();
    const steps: number[] = [];
    const { images } = await canvas.enqueue(prompt, { progress: ({ value }) => steps.push(value) });
    const shown = await fetch((images[0] as { data: string }).data);
    const models = await canvas.getSDModels();
    canvas.close();

    // The client checks the class of each message, in pages too. A bundler's replacement for Node supplies the name.
    Object.assign(globalThis, { Buffer: class extends Uint8Array {} });
    const sdk = new ComfyApi(location.origin, 'sdk', { wsTimeout: 120_000 });
    await sdk.init().waitForReady();
    const heard: number[] = [];
    sdk.on('progress', ({ detail }) => heard.push(detail.value));
    const builder = new PromptBuilder(prompt, ['seed'], ['images'])
      .setInputNode('seed', '3.inputs.seed')
      .setOutputNode('images', '9')
      .input('seed', 12);
    const result = (await new CallWrapper(sdk, builder).run()) as {
      images: { images: { filename: string; subfolder: string; type: string }[] };
    };
    const fetched = await sdk.getImage(result.images.images[0]!);
    sdk.destroy();
    return {
      canvas: { steps, models, start: await startOf(await shown.blob()) },
      sdk: { heard, start: await startOf(fetched) },
    };
  }, graph);
  expect(drawn.canvas).toEqual({ steps: [1, 2, 3], models: [EMOJI], start: 'PNG' });
  expect(drawn.sdk).toEqual({ heard: [1, 2, 3], start: 'PNG' });
});

test('an interrupt stops the sampler during a run', async () => {
  const { outcome, image } = await drawInPage(page, long, 2);
  expect([outcome, image]).toEqual(['execution_interrupted', undefined]);
});

test('a reload keeps finished work, and continues unfinished work', async () => {
  await page.evaluate(async (prompt) => {
    await fetch('/prompt', { method: 'POST', body: JSON.stringify({ prompt, prompt_id: 'unfinished' }) });
  }, long);
  await expect.poll(() => running(page)).toEqual(['unfinished']);
  await page.reload();
  await page.locator('html[data-tabd=ready]').waitFor();
  await expect.poll(() => running(page)).toEqual(['unfinished']);
  const outcomes = await page.evaluate(async () => {
    await fetch('/interrupt', { method: 'POST' });
    const history = await (await fetch('/history')).json();
    return Object.values<{ status: { status_str: string } }>(history).map(({ status }) => status.status_str);
  });
  // The outcomes of this page's image, of each client's image, and of the interrupted one.
  expect(outcomes.slice(0, 4)).toEqual(['success', 'success', 'success', 'error']);
});

test('merging two models gives the same result in the tab and in Node, and can be saved', async () => {
  const node: Pick<Files, 'write'> = {
    async write(path, bytes) {
      const to = join(home, 'files', path);
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, bytes);
      return true;
    },
  };
  for (const files of [filesOfTab(page), node]) {
    await writeTinyDiffusion(files, 'models/checkpoints/tiny');
    await writeUnet(files, 'models/checkpoints/tiny/unet');
    await writeTextEncoder(files, 'models/checkpoints/tiny/text_encoder');
  }
  const plain = defaultGraph({ checkpoint: 'tiny', seed: 21 });
  const model = (id: string) => [id, 0];
  // Merges 0.2 of the model with 0.8 of a model of twice its weights.
  const merged = {
    ...plain,
    '3': { ...plain['3'], inputs: { ...plain['3'].inputs, model: model('21') } },
    '20': { class_type: 'ModelMergeAdd', inputs: { model1: model('4'), model2: model('4') } },
    '21': { class_type: 'ModelMergeSimple', inputs: { model1: model('4'), model2: model('20'), ratio: 0.2 } },
  };
  const saved = {
    ...merged,
    '22': {
      class_type: 'CheckpointSave',
      inputs: { model: model('21'), clip: ['4', 1], vae: ['4', 2], filename_prefix: 'checkpoints/merged' },
    },
  };
  const [drawn, reference] = [await drawInPage(page, saved), await drawOnPort(port, merged)];
  expect(drawn.outcome).toBe('execution_success');
  expect((await differenceOf(drawn.image!, reference)).largest).toBeLessThanOrEqual(1);
  // The saved model is a checkpoint like any other.
  const savedGraph = {
    ...plain,
    '4': { ...plain['4'], inputs: { ckpt_name: 'merged_00001_' } },
  };
  const again = await drawInPage(page, savedGraph);
  expect(again.outcome).toBe('execution_success');
  expect((await differenceOf(again.image!, reference)).largest).toBeLessThanOrEqual(1);
  const unmerged = await drawOnPort(port, plain);
  expect((await differenceOf(drawn.image!, unmerged)).largest).toBeGreaterThan(1);
});

test('200 MB are too much for an upload, in the page and on the port', async () => {
  const inPage = await page.evaluate(async (size) => {
    const form = new FormData();
    form.append('image', new Blob(Array(200).fill(new Uint8Array(size))), 'large.png');
    const response = await fetch('/upload/image', { method: 'POST', body: form });
    return [response.status, await response.text()];
  }, MB);
  expect(inPage).toEqual([413, expect.stringContaining('104857600')]);
  const form = new FormData();
  form.append('image', new Blob(Array(200).fill(new Uint8Array(MB))), 'large.png');
  const onPort = await fetch(`${port}/upload/image`, { method: 'POST', body: form }).then(
    ({ status }) => status,
    // The server refuses in the middle of the upload, and the connection ends while this client still sends.
    () => 413,
  );
  expect(onPort).toBe(413);
  for (const answer of [await fetch(`${port}/queue`), await fetch(`${port}/history`)])
    expect(answer.ok).toBe(true);
});

function running(tab: Page): Promise<string[]> {
  return tab.evaluate(async () => {
    const { queue_running } = await (await fetch('/queue')).json();
    return queue_running.map((item: unknown[]) => item[1]);
  });
}
