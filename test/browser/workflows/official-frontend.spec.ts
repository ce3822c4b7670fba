/** The official editor in front of port 8188: it loads, offers its templates, runs a graph and shows the image. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, expect, type Page, test } from '@playwright/test';
import type { FrontendProxy } from '../../support/frontend/frontend-proxy.ts';
import {
  type FrontendPage,
  type FrontendVersion,
  frontendPage,
  openFrontend,
  templatesOf,
} from '../../support/frontend/open-frontend.ts';
import { addEmojiModel, EMOJI_128 } from '../../support/model-files/emoji-model.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';

test.describe.configure({ mode: 'serial' });

interface EditorNode {
  type: string;
  widgets?: { name: string; value: unknown }[];
}
declare global {
  interface Window {
    app?: { graph?: { nodes?: EditorNode[] } };
  }
}

const DEFAULT_GRAPH = [
  'CLIPTextEncode',
  'CLIPTextEncode',
  'CheckpointLoaderSimple',
  'EmptyLatentImage',
  'KSampler',
  'SaveImage',
  'VAEDecode',
];

let home: string;
let shim: RunningShim;
let frontend: FrontendProxy;

async function start(version: FrontendVersion): Promise<void> {
  home = await makeHome([]);
  await addEmojiModel(home, EMOJI_128);
  shim = await startShim(home);
  frontend = await openFrontend(version, shim.ports['image-workflows']);
}

async function stop(): Promise<void> {
  await frontend?.close();
  await shim?.stop();
  if (home) await removeHome(home);
}

const visit = async (browser: Browser): Promise<FrontendPage> =>
  frontendPage(await browser.newContext({ viewport: { width: 1400, height: 900 } }), frontend.origin);

const nodesOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window.app?.graph?.nodes ?? []).map(({ type }) => type).sort());

const widgetValue = (page: Page, type: string, name: string): Promise<unknown> =>
  page.evaluate(
    ([type, name]) =>
      window.app?.graph?.nodes
        ?.find((node) => node.type === type)
        ?.widgets?.find((widget) => widget.name === name)?.value,
    [type, name] as const,
  );

/** Waits until the image of a finished prompt is visible, and returns its size. */
async function imageIn(page: Page): Promise<number[]> {
  const shown = page.locator('img[src*="/view?"]').first();
  await expect(shown).toBeVisible({ timeout: 120_000 });
  const size = () => shown.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]);
  await expect.poll(async () => (await size())[0]).toBeGreaterThan(0);
  return size();
}

test.describe('version 1.27', () => {
  test.beforeAll(() => start('1.27'));
  test.afterAll(stop);

  test('offers its default template to a new user', async ({ browser }) => {
    const { page, problems } = await visit(browser);
    await page.getByText('Image Generation', { exact: true }).click();
    await expect.poll(() => nodesOf(page)).toEqual(DEFAULT_GRAPH);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('opens with the default graph, runs it and shows the image', async ({ browser }) => {
    const { page, problems } = await visit(browser);
    await expect.poll(() => nodesOf(page)).toEqual(DEFAULT_GRAPH);
    expect(await widgetValue(page, 'CheckpointLoaderSimple', 'ckpt_name')).toBe(EMOJI_128);
    await page.keyboard.press('q');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    expect(await imageIn(page)).toEqual([512, 512]);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

test.describe('the newest version', () => {
  test.beforeAll(() => start('newest'));
  test.afterAll(stop);

  test('offers its templates to a new user', async ({ browser }) => {
    const { page, problems } = await visit(browser);
    await page
      .getByPlaceholder(/Search/)
      .first()
      .fill('SDXL');
    await page.getByText(/SDXL/).first().click();
    await expect.poll(() => nodesOf(page)).toEqual([...DEFAULT_GRAPH, 'MarkdownNote'].sort());
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('opens with its own default graph, and knows all nodes', async ({ browser }) => {
    const { page, problems } = await visit(browser);
    await expect.poll(() => nodesOf(page)).toContain('ModelSamplingAuraFlow');
    const types = await page.evaluate(async () =>
      Object.keys(await (await fetch('/api/object_info')).json()),
    );
    for (const type of await nodesOf(page)) expect(types).toContain(type);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('runs the default graph of Stable Diffusion from a file, and shows the image', async ({ browser }) => {
    const { page, problems } = await visit(browser);
    await expect.poll(() => nodesOf(page)).toContain('ModelSamplingAuraFlow');
    await openGraph(page, await defaultTemplate());
    await expect.poll(() => nodesOf(page)).toEqual(DEFAULT_GRAPH);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    expect(await imageIn(page)).toEqual([512, 512]);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

/** Opens a graph from a file. The editor ignores its keys until all of its commands exist, so this repeats them. */
async function openGraph(page: Page, text: string): Promise<void> {
  await expect(async () => {
    const chooser = page.waitForEvent('filechooser', { timeout: 5_000 });
    await page.keyboard.press('Control+o');
    const file = { name: 'default.json', mimeType: 'application/json', buffer: Buffer.from(text) };
    await (await chooser).setFiles(file);
  }).toPass({ timeout: 60_000 });
}

/** The default template, with the model that comes with this repository. */
async function defaultTemplate(): Promise<string> {
  const text = await readFile(join(await templatesOf('1.27'), 'default.json'), 'utf8');
  return text.replaceAll('v1-5-pruned-emaonly-fp16.safetensors', EMOJI_128);
}
