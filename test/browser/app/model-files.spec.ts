/** Files of models that are dropped on the page, for the server of the browser and for that of the computer. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { encodeSafetensors } from '#core/image-workflows/nodes/latent/safetensors.ts';
import { appStrings } from '#web/app/strings/app.ts';
import { missingStrings } from '#web/app/strings/missing-models.ts';
import { modelFileStrings as words } from '#web/app/strings/model-files.ts';
import { writeTinyCheckpoint } from '../../support/model-files/tiny-checkpoint.ts';
import { autoencoderShapes, weightsFor } from '../../support/model-files/weight-files.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { openAppTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

test.describe.configure({ mode: 'serial', timeout: 240_000 });

const CHECKPOINT = 'small-sd15.safetensors';
const LORA = 'style.safetensors';
const UNCLEAR = 'other.safetensors';
const DAMAGED = 'cut-off.safetensors';
const VAE = 'vae-ft-mse-840000-ema-pruned.safetensors';

let folder: string;
let home: string;
let shim: RunningShim;
let context: BrowserContext;
let page: Page;

test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-dropped-'));
  const lora = encodeSafetensors(
    weightsFor({ 'lora_unet_x.lora_up.weight': [4, 2], 'lora_unet_x.lora_down.weight': [2, 4] }),
    {},
  );
  await writeFile(join(folder, LORA), lora);
  await writeFile(join(folder, DAMAGED), lora.subarray(0, lora.length - 8));
  await writeFile(join(folder, UNCLEAR), encodeSafetensors(weightsFor({ 'layer.weight': [2, 2] }), {}));
  await writeTinyCheckpoint(join(folder, CHECKPOINT));
  home = await makeHome([]);
  shim = await startShim(home);
  context = await browser.newContext();
  page = await openAppTab(context, `http://localhost:${shim.ports.app}`);
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Drops files of this computer on the view that is shown. */
async function drop(...names: string[]): Promise<void> {
  await page.evaluate(() => {
    document.body.append(
      Object.assign(document.createElement('input'), { type: 'file', multiple: true, id: 'dropped' }),
    );
  });
  await page.locator('#dropped').setInputFiles(names.map((name) => join(folder, name)));
  await page.evaluate(() => {
    const input = document.querySelector<HTMLInputElement>('#dropped')!;
    const dataTransfer = new DataTransfer();
    for (const file of input.files!) dataTransfer.items.add(file);
    const main = document.querySelector('tabd-app')!.shadowRoot!.querySelector('main')!.firstElementChild!;
    for (const type of ['dragover', 'drop'])
      main.dispatchEvent(
        new DragEvent(type, { bubbles: true, composed: true, cancelable: true, dataTransfer }),
      );
    input.remove();
  });
}

const item = (name: string) => page.locator('tabd-added-files li', { hasText: name });
const models = (kind: string) =>
  page.evaluate(async (path) => (await (await fetch(path)).json()) as string[], `/models/${kind}`);

test('a dropped checkpoint and a LoRA go into their folders, and the form for images has the checkpoint', async () => {
  await drop(CHECKPOINT, LORA);
  await expect(item(CHECKPOINT)).toContainText(words.done('a checkpoint of Stable Diffusion', 'checkpoints'));
  await expect(item(LORA)).toContainText(words.done('a LoRA or one of its relatives', 'loras'));
  expect(page.url()).toContain('#/models');
  expect(await models('checkpoints')).toEqual([CHECKPOINT]);
  expect(await models('loras')).toEqual([LORA]);
  await expectAccessible(page);
  const node = await page.evaluate(async () => (await fetch('/object_info/LoraLoader')).json());
  expect(node.LoraLoader.input.required.lora_name[0]).toEqual([LORA]);
  await page.getByRole('link', { name: appStrings.nav.images, exact: true }).click();
  await expect(page.locator('tabd-picture-form option', { hasText: CHECKPOINT })).toBeAttached();
});

test('the person is asked for the folder of an unclear file', async () => {
  await drop(UNCLEAR);
  await page.getByRole('combobox', { name: words.folderOf(UNCLEAR) }).selectOption('vae_approx');
  await expectAccessible(page);
  await item(UNCLEAR).getByRole('button', { name: words.add }).click();
  await expect(item(UNCLEAR)).toContainText(words.doneUnclear('vae_approx'));
  expect(await models('vae_approx')).toEqual([UNCLEAR]);
});

test('a damaged file, and a file that is there already, are refused with the cause', async () => {
  await drop(DAMAGED);
  await expect(item(DAMAGED)).toContainText('lies outside the file');
  await page.getByRole('button', { name: words.dismissOf(DAMAGED) }).click();
  await expect(item(DAMAGED)).toHaveCount(0);
  await drop(LORA);
  await expect(item(LORA).last()).toContainText('there is a file models/loras/style.safetensors already');
});

test('a graph lists its missing models, and gets one from its source', async () => {
  const vae = encodeSafetensors(weightsFor(autoencoderShapes(4)), {});
  await context.route('https://huggingface.co/**', (route) => {
    const headers = { 'access-control-allow-origin': '*' };
    if (!route.request().url().includes('/api/models/'))
      return route.fulfill({ body: Buffer.from(vae), headers, contentType: 'application/octet-stream' });
    return route.fulfill({ json: { siblings: [{ rfilename: VAE, size: vae.length }] }, headers });
  });
  const graph = {
    1: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'sd_xl_base_1.0.safetensors' } },
    2: { class_type: 'VAELoader', inputs: { vae_name: VAE } },
    3: {
      class_type: 'LoraLoaderModelOnly',
      inputs: { model: ['1', 0], lora_name: 'of-a-friend.safetensors' },
    },
    4: { class_type: 'LoraLoaderModelOnly', inputs: { model: ['3', 0], lora_name: LORA } },
  };
  await page.goto(`${new URL(page.url()).origin}/#/images/graph`);
  await page.locator('tabd-image-graph input[type=file]').setInputFiles({
    name: 'graph.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(graph)),
  });
  const missing = page.locator('tabd-missing-models li');
  await expect(missing).toHaveCount(3);
  await expect(missing.nth(0)).toContainText(
    /sd_xl_base_1\.0\.safetensors\s*checkpoints · about 7\.0 GB · Open RAIL\+\+-M/,
  );
  await expect(missing.nth(2)).toContainText(missingStrings.unknown);
  await expectAccessible(page);
  await page.getByRole('button', { name: missingStrings.getOf(VAE) }).click();
  await expect(missing).toHaveCount(2);
  expect(await models('vae')).toEqual([VAE]);
});

test('for the computer, the file is sent to its ports', async () => {
  await page.getByRole('link', { name: appStrings.nav.models, exact: true }).click();
  await page
    .getByRole('combobox', { name: appStrings.servers.label })
    .selectOption({ label: appStrings.servers.computer });
  await expect(item(CHECKPOINT)).toHaveCount(0);
  await drop(CHECKPOINT);
  await expect(item(CHECKPOINT)).toContainText(words.done('a checkpoint of Stable Diffusion', 'checkpoints'));
  const stored = join(home, 'files/models/checkpoints', CHECKPOINT);
  expect((await stat(stored)).size).toBe((await stat(join(folder, CHECKPOINT))).size);
  const origin = `http://127.0.0.1:${shim.ports['image-workflows']}`;
  expect(await (await fetch(`${origin}/models/checkpoints`)).json()).toEqual([CHECKPOINT]);
});
