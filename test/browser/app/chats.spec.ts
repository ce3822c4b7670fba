/**
 * Chats as users have them: stored, searched, edited, exported and imported. `two-tabs.spec.ts` tests several tabs.
 * `chats.test.ts` in web/app/chat tests interrupted answers.
 */
import { readFile } from 'node:fs/promises';
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { chatStrings } from '#web/app/strings/chat.ts';
import { commonStrings } from '#web/app/strings/common.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { openAppTab, pullIntoTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 90_000 });
const words = chatStrings;
const model = 'smollm2:135m';

let home: string;
let shim: RunningShim;
let context: BrowserContext;
let page: Page;

test.describe.configure({ mode: 'serial', timeout: 300_000 });

test.beforeAll(async ({ browser }) => {
  home = await makeHome([{ name: model, path: await smollm2() }]);
  shim = await startShim(home);
  context = await browser.newContext({ acceptDownloads: true });
  page = await openAppTab(context, `http://localhost:${shim.ports.app}`);
  await pullIntoTab(page, model);
  await page.reload();
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

const composer = (where: Page) => where.getByRole('textbox', { name: words.placeholder });
const last = (where: Page) => where.locator('tabd-message').last();
const again = (where: Page) => last(where).getByRole('button', { name: words.retry });

async function sendMessage(where: Page, text: string): Promise<void> {
  await composer(where).fill(text);
  // Waits until the list of models is loaded.
  await where.getByRole('button', { name: words.send, exact: true }).click();
}

/** Sets fields by their labels, in the settings sheet of the open chat. */
async function set(where: Page, fields: Record<string, string>): Promise<void> {
  await where.getByRole('button', { name: words.options }).click();
  for (const [label, value] of Object.entries(fields))
    await where.getByLabel(label, { exact: true }).fill(value);
  await where.getByRole('button', { name: words.done }).click();
}

test('a chat keeps its settings and versions, and is searched, renamed, exported, deleted and imported', async () => {
  await set(page, { [words.temperature]: '0', [words.maxLength]: '12' });
  await sendMessage(page, 'What is the capital of France?');
  await again(page).waitFor();
  await expect(last(page)).toContainText('The capital of France is Paris.');
  await expect(last(page)).toContainText(/smollm2:135m · .*tokens\/s · CPU/);

  await page.getByRole('button', { name: words.edit, exact: true }).click();
  await page.getByRole('textbox', { name: words.edit, exact: true }).fill('What is the capital of Spain?');
  await page.getByRole('button', { name: words.saveEdit }).click();
  await again(page).waitFor();
  await expect(last(page)).toContainText('Madrid');
  await page.getByRole('button', { name: words.earlier }).click();
  await expect(last(page)).toContainText('Paris');
  await expectAccessible(page);
  await page.getByRole('button', { name: words.options }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: words.done }).click();
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole('button', { name: words.chats, exact: true }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: words.close, exact: true }).click();
  await page.setViewportSize(size);

  const openMenu = async (title: string, entry: string) => {
    await page.getByRole('link', { name: title }).hover();
    await page.getByLabel(words.more(title)).click();
    await page.getByRole('button', { name: entry, exact: true }).click();
  };
  const rows = page.getByRole('link', { name: 'What is the capital of France?' });
  await openMenu('What is the capital of France?', words.rename);
  await page.getByRole('textbox', { name: words.newName }).fill('Capitals');
  await page.getByRole('textbox', { name: words.newName }).press('Enter');
  await expect(rows).toHaveCount(0);
  const named = page.getByRole('link', { name: 'Capitals' });
  await page.getByRole('searchbox', { name: words.search }).fill('madrid');
  await expect(named).toBeVisible();
  await page.getByRole('searchbox', { name: words.search }).fill('nowhere');
  await expect(page.getByText(words.noResults)).toBeVisible();
  await page.getByRole('searchbox', { name: words.search }).fill('');

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: words.exportAll }).click();
  const buffer = await readFile(await (await saving).path());
  await openMenu('Capitals', words.delete);
  await expect(page.getByText(words.empty)).toBeVisible();
  await page.getByRole('button', { name: commonStrings.undo }).click();
  await expect(named).toBeVisible();
  await openMenu('Capitals', words.delete);
  await page.getByRole('button', { name: commonStrings.dismiss }).click();
  await expect(page.getByText(words.empty)).toBeVisible();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: words.import }).click();
  await (await chooser).setFiles({ name: 'chats.json', mimeType: 'application/json', buffer });
  await named.click();
  await expect(last(page)).toContainText('Paris');
});

test('an image of another site loads on request, or always with the setting', async () => {
  const requestedImages: (string | undefined)[] = [];
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await context.route('https://pictures.example/**', (route) => {
    requestedImages.push(route.request().headers().referer);
    return route.fulfill({ body: pixel, contentType: 'image/png' });
  });
  const content = '![a fox](https://pictures.example/fox?q=secret) ![](https://pictures.example/owl)';
  const turn = { id: 't', role: 'assistant', content, state: 'done', model, at: 1 };
  const settings = { remoteImages: true };
  const chat = { id: 'c', title: 'Animals', created: 1, updated: 1, settings, leaf: 't', turns: [turn] };
  const text = JSON.stringify({ kind: 'tabd-chats', version: 1, conversations: [chat] });
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: words.import }).click();
  await (await chooser).setFiles({ name: 'c.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await page.getByRole('link', { name: 'Animals' }).click();
  // The size that the file itself states is ignored.
  await expect(last(page)).toContainText('https://pictures.example/fox?q=secret');
  await expectAccessible(page);
  expect(requestedImages).toEqual([]);

  const shown = (name: string) =>
    last(page)
      .getByRole('img', { name })
      .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth));
  await last(page).getByRole('button', { name: words.remoteImages.load }).first().click();
  expect(await shown('a fox')).toBe(1);
  expect(requestedImages).toEqual([undefined]);
  await page.getByRole('button', { name: words.options }).click();
  await page.getByLabel(words.remoteImages.label).check();
  await page.getByRole('button', { name: words.done }).click();
  await expect(last(page).locator('img')).toHaveCount(2);
  await expect(last(page).getByRole('button', { name: words.remoteImages.load })).toHaveCount(0);
});
