/** Models and settings as users see them. The model hub receives only what a user searches for. */
import { readFile } from 'node:fs/promises';
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { apiStrings } from '#web/app/strings/api.ts';
import { appStrings } from '#web/app/strings/app.ts';
import { chatStrings } from '#web/app/strings/chat.ts';
import { modelStrings } from '#web/app/strings/models.ts';
import { settingsStrings as settings } from '#web/app/strings/settings.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { openAppTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 90_000 });
const words = modelStrings;
const model = 'smollm2:135m';

let home: string;
let shim: RunningShim;
let context: BrowserContext;
let page: Page;
const hubRequests: string[] = [];

test.describe.configure({ mode: 'serial', timeout: 300_000 });

test.beforeAll(async ({ browser }) => {
  home = await makeHome([{ name: model, path: await smollm2() }]);
  shim = await startShim(home);
  context = await browser.newContext({ acceptDownloads: true });
  await context.route('https://huggingface.co/**', (route) => {
    const url = route.request().url();
    hubRequests.push(url);
    const found = [{ id: 'user/tiny-GGUF', downloads: 1234, tags: ['license:mit'], gated: false }];
    const siblings = [
      { rfilename: 'tiny-Q4_K_M.gguf', size: 4e8 },
      { rfilename: 'tiny-F32.gguf', size: 9e9 },
    ];
    return route.fulfill({ json: url.includes('?search') ? found : { siblings } });
  });
  page = await openAppTab(context, `http://localhost:${shim.ports.app}`, '/#/models');
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

const load = () =>
  page.evaluate(async (name) => {
    const response = await fetch('/api/generate', { method: 'POST', body: JSON.stringify({ model: name }) });
    return response.json();
  }, model);

test('a download of an earlier visit continues; installed, loaded and stored models are listed', async () => {
  const offer = page.locator('.suggestion', { hasText: model });
  await expect(offer).toContainText(words.verdicts.good);
  await expect(offer).toContainText('apache-2.0');
  await page.evaluate((name) => {
    localStorage.setItem('tabd.pulls', JSON.stringify([{ model: name, total: 100, completed: 40 }]));
  }, model);
  await page.reload();
  await expect(page.getByText(words.paused)).toBeVisible();
  await page.getByRole('button', { name: `${words.resume} ${model}` }).click();
  await page.getByRole('button', { name: words.detailsOf(model) }).click();
  await expect(page.getByText('8,192 tokens of context')).toBeVisible();
  await expect(page.getByText(words.noneLoaded)).toBeVisible();
  await load();
  await page.getByRole('link', { name: appStrings.nav.chat, exact: true }).click();
  await page.getByRole('link', { name: appStrings.nav.models, exact: true }).click();
  await expect(page.locator('tabd-loaded-models')).toContainText(/CPU.* of memory.*unloads in \d/s);
  await expect(page.getByRole('meter', { name: words.storage.bar })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: `${words.unload} ${model}` }).click();
  await expect(page.getByText(words.noneLoaded)).toBeVisible();
});

test('installed and offered models are filtered by task and by words', async () => {
  const tasks = page.getByRole('group', { name: words.task });
  const offers = page.locator('.suggestion');
  const installed = page.getByRole('button', { name: words.detailsOf(model) });
  await expect(page.getByRole('heading', { name: words.groups.embedding })).toBeVisible();
  await tasks.getByRole('button', { name: words.tasks.embedding }).click();
  await expect(page.getByRole('heading', { name: words.groups.chat })).toBeHidden();
  await expect(installed).toBeHidden();
  await page.getByRole('searchbox', { name: words.filter }).fill('minilm ENGLISH');
  await expect(offers).toHaveCount(1);
  await expect(offers).toContainText('all-minilm');
  await page.getByRole('searchbox', { name: words.filter }).fill('no such model');
  await expect(page.getByText(words.noMatch)).toHaveCount(2);
  await page.getByRole('searchbox', { name: words.filter }).fill('');
  await tasks.getByRole('button', { name: words.allTasks }).click();
  await expect(installed).toBeVisible();
  await expect(page.getByText(words.best)).toHaveCount(1);
  await expectAccessible(page);
});

test('the hub receives a search, and no request before it', async () => {
  expect(hubRequests).toEqual([]);
  await page.getByRole('textbox', { name: words.hub.label }).fill('tiny');
  await page.getByRole('button', { name: words.hub.search, exact: true }).click();
  await page.getByRole('button', { name: words.hub.filesOf('user/tiny-GGUF') }).click();
  await expect(page.locator('tabd-hub-search')).toContainText('mit · 1.2K downloads');
  await expect(page.locator('li.row', { hasText: 'Q4_K_M' })).toContainText(words.verdicts.good);
  await expect(page.locator('li.row', { hasText: 'F32' })).toContainText(words.verdicts.no);
  expect(hubRequests.map((url) => new URL(url).pathname)).toEqual([
    '/api/models',
    '/api/models/user/tiny-GGUF',
  ]);
  await expectAccessible(page);
});

test('a setting applies from the next load', async () => {
  await page.getByRole('link', { name: appStrings.nav.settings }).click();
  await expect(page.getByText('WebGPU', { exact: false }).first()).toBeVisible();
  await expectAccessible(page);
  const field = page.getByLabel(settings.fields.OLLAMA_KEEP_ALIVE.label);
  await field.fill('soon');
  await page.getByRole('button', { name: settings.save, exact: true }).click();
  await expect(page.getByRole('alert')).toHaveText(settings.errors.duration);
  await field.fill('3h');
  await page.getByRole('button', { name: settings.save, exact: true }).click();
  await page.getByRole('button', { name: settings.reload }).click();
  await expect(field).toHaveValue('3h');
  await load();
  await page.getByRole('link', { name: appStrings.nav.models, exact: true }).click();
  await expect(page.locator('tabd-loaded-models')).toContainText('unloads in 3.0 h');
});

test('a backup is saved; everything is deleted in all tabs; the backup restores it', async () => {
  await page.goto(`http://localhost:${shim.ports.app}/#/settings`);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: settings.backup.save }).click();
  const buffer = await readFile(await (await saving).path());
  const other = await openAppTab(context, `http://localhost:${shim.ports.app}`);

  await page.getByRole('button', { name: settings.wipe.open }).click();
  await page.getByRole('button', { name: settings.wipe.yes, exact: true }).click();
  await expect(page.getByRole('heading', { name: chatStrings.noModel })).toBeVisible();
  await expect(other.locator('body')).toHaveText(appStrings.server.deleted);
  expect(await page.evaluate(() => localStorage.getItem('tabd-settings'))).toBeNull();

  await page.getByRole('link', { name: appStrings.nav.settings }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: settings.backup.restore }).click();
  await (await chooser).setFiles({ name: 'backup.json', mimeType: 'application/json', buffer });
  await expect(
    page.getByText(settings.backup.restored({ chats: 0, workflows: 0, settings: 1, presets: 0 })),
  ).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('tabd-settings'))).toBe('{"OLLAMA_KEEP_ALIVE":"3h"}');
});

test('a request is sent, listed with those of other clients, and copied as code', async () => {
  await page.getByRole('link', { name: appStrings.nav.api }).click();
  const { console: tried, live } = apiStrings;
  await page.getByLabel(tried.example).selectOption({ label: tried.examples.models });
  await page.getByRole('button', { name: tried.send, exact: true }).click();
  await expect(page.getByLabel(tried.answer)).toContainText('"models"');
  await page.evaluate(() =>
    fetch('/api/show', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"none"}',
    }),
  );
  const row = page.getByRole('row', { name: /^POST \/api\/show 404/ });
  await expect(row).toContainText(/\d+ ms/);
  await expect(page.getByRole('row', { name: /^GET \/api\/tags 200/ })).toBeVisible();
  await page
    .getByRole('group', { name: live.states })
    .getByRole('button', { name: live.state.failed })
    .click();
  await page.getByRole('searchbox', { name: live.filter }).fill('POST none');
  await expect(page.getByRole('row', { name: /^GET \/api\/tags 200/ })).toBeHidden();
  await row.getByRole('button').click();
  await expectAccessible(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: live.curl }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^curl 'http:\/\/localhost:\d+\/api\/show' -H 'content-type: application\/json' --data-raw '\{"model":"none"\}'$/,
  );
});
