/**
 * Chats as users have them: stored, searched, edited, exported and imported. `two-tabs.spec.ts` tests several tabs.
 * `chats.test.ts` in web/app/chat tests interrupted answers.
 */
import { readFile } from 'node:fs/promises';
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { chatStrings } from '#web/app/strings/chat.ts';
import { chatPartStrings } from '#web/app/strings/chat-parts.ts';
import { commonStrings } from '#web/app/strings/common.ts';
import { wordDocument } from '../../support/app/word-document.ts';
import { modelVariant } from '../../support/local-models/model-variants.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { openAppTab, pullIntoTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 90_000 });
const words = chatStrings;
const parts = chatPartStrings;
const model = 'smollm2:135m';
const other = 'smollm2:copy';
const embedder = 'smollm2-embed:135m';

let home: string;
let shim: RunningShim;
let context: BrowserContext;
let page: Page;

test.describe.configure({ mode: 'serial', timeout: 300_000 });

test.beforeAll(async ({ browser }) => {
  home = await makeHome([
    { name: model, path: await smollm2() },
    { name: embedder, path: await modelVariant('smollm2-embed-quick') },
  ]);
  shim = await startShim(home);
  context = await browser.newContext({ acceptDownloads: true });
  page = await openAppTab(context, `http://localhost:${shim.ports.app}`);
  await pullIntoTab(page, model);
  await pullIntoTab(page, embedder);
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

/** Chooses an entry in the menu of a chat. */
async function openMenu(where: Page, title: string, entry: string): Promise<void> {
  await where.getByRole('link', { name: title }).hover();
  await where.getByLabel(words.more(title)).click();
  await where.getByRole('button', { name: entry, exact: true }).click();
}

async function importChat(where: Page, chat: object): Promise<void> {
  const text = JSON.stringify({ kind: 'tabd-chats', version: 1, conversations: [chat] });
  const chooser = where.waitForEvent('filechooser');
  await where.getByRole('button', { name: words.import }).click();
  await (await chooser).setFiles({ name: 'c.json', mimeType: 'application/json', buffer: Buffer.from(text) });
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

  const rows = page.getByRole('link', { name: 'What is the capital of France?' });
  await openMenu(page, 'What is the capital of France?', words.rename);
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
  await openMenu(page, 'Capitals', words.delete);
  await expect(page.getByText(words.empty)).toBeVisible();
  await page.getByRole('button', { name: commonStrings.undo }).click();
  await expect(named).toBeVisible();
  await openMenu(page, 'Capitals', words.delete);
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
  await importChat(page, chat);
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

test('a diagram is drawn on request, and loads nothing of other sites', async () => {
  const requested: string[] = [];
  await context.route('https://spy.example/**', (route) => {
    requested.push(route.request().url());
    return route.abort();
  });
  const style = '.node rect { background-image: url(https://spy.example/style.png) }';
  const diagrams = [
    `%%{init: ${JSON.stringify({ themeCSS: style })}}%%
flowchart TD
  A["A <img src=https://spy.example/label.png>"] --> B`,
    'flowchart TD\n  B@{ img: "https://spy.example/image.png", label: "B", w: 60, h: 60 }',
  ];
  const content = diagrams.map((code) => `\`\`\`mermaid\n${code}\n\`\`\``).join('\n\n');
  const turn = { id: 't', role: 'assistant', content, state: 'done', model, at: 1 };
  await importChat(page, {
    id: 'd',
    title: 'Spies',
    created: 1,
    updated: 1,
    settings: {},
    leaf: 't',
    turns: [turn],
  });
  await page.getByRole('link', { name: 'Spies' }).click();
  const show = last(page).getByRole('button', { name: parts.diagrams.show });
  await show.first().focus();
  await page.keyboard.press('Enter');
  const image = last(page).getByRole('img', { name: parts.diagrams.label });
  expect(await image.evaluate((drawn: HTMLImageElement) => drawn.naturalWidth)).toBeGreaterThan(50);
  await expect(last(page).getByRole('button', { name: parts.diagrams.showCode })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(image).toHaveCount(0);
  await expect(last(page).locator('pre').first()).toBeVisible();
  await show.last().click();
  await expect(last(page).getByRole('alert')).toContainText(parts.diagrams.failed);
  expect(requested).toEqual([]);
});

test('chats are moved into folders, which are closed, renamed and removed', async () => {
  const dialog = page.getByRole('dialog');
  await openMenu(page, 'Spies', parts.folders.move);
  await expectAccessible(page);
  await dialog.getByLabel(parts.folders.create).fill('Secret');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await openMenu(page, 'Animals', parts.folders.move);
  await dialog.getByRole('button', { name: 'Secret' }).click();
  const folder = (name: string) => page.getByRole('button', { name: `${name} 2`, exact: true });
  await folder('Secret').click();
  await expect(page.getByRole('link', { name: 'Animals' })).toHaveCount(0);
  await page.reload();
  await expect(folder('Secret')).toHaveAttribute('aria-expanded', 'false');
  await page.getByRole('searchbox', { name: words.search }).fill('spies');
  await expect(page.getByRole('link', { name: 'Spies' })).toBeVisible();
  await page.getByRole('searchbox', { name: words.search }).fill('');

  const folderMenu = async (name: string, entry: string) => {
    await folder(name).hover();
    await page.getByLabel(parts.folders.more(name)).click();
    await page.getByRole('button', { name: entry, exact: true }).click();
  };
  await folderMenu('Secret', parts.folders.rename);
  await dialog.getByRole('textbox').fill('Public');
  await page.keyboard.press('Enter');
  await expect(folder('Public')).toHaveAttribute('aria-expanded', 'true');
  await folderMenu('Public', parts.folders.newChat);
  await expect(page.getByText(parts.folders.inFolder('Public'))).toBeVisible();
  await folderMenu('Public', parts.folders.dissolve);
  await expect(folder('Public')).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Animals' })).toBeVisible();
});

test('a preset is saved, chosen in a new chat, edited in the settings, and deleted', async () => {
  await page.getByRole('button', { name: words.newChat }).click();
  await page.getByRole('button', { name: words.options }).click();
  await page.getByLabel(words.temperature, { exact: true }).fill('0');
  await page.getByLabel(words.maxLength, { exact: true }).fill('12');
  await page.getByRole('button', { name: parts.presets.save }).click();
  await page.getByRole('textbox', { name: parts.presets.nameOf }).fill('Short');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel(parts.presets.label, { exact: true })).toHaveValue('Short');
  await expectAccessible(page);
  await page.getByRole('link', { name: parts.presets.manage }).click();

  await page.getByRole('button', { name: parts.presets.edit('Short') }).click();
  await page.getByLabel(parts.presets.name, { exact: true }).fill('Brief');
  await page.getByLabel(words.temperature, { exact: true }).fill('7');
  await page.getByRole('button', { name: commonStrings.save, exact: true }).last().click();
  await expect(page.getByLabel(words.temperature, { exact: true })).toBeFocused();
  await page.getByLabel(words.temperature, { exact: true }).fill('0');
  await expectAccessible(page);
  await page.getByRole('button', { name: commonStrings.save, exact: true }).last().click();
  await expect(page.getByRole('button', { name: parts.presets.edit('Short') })).toHaveCount(0);

  await page.evaluate(() => {
    location.hash = '#/';
  });
  await page.getByRole('button', { name: words.newChat }).click();
  const chip = page.getByRole('button', { name: 'Brief' });
  if ((await chip.getAttribute('aria-pressed')) === 'false') await chip.click();
  await expect(chip).toHaveAttribute('aria-pressed', 'true');
});

test('two models answer side by side, and the chat continues from one of them', async () => {
  // The same weights under two names: their greedy answers are equal.
  await page.evaluate(
    ([source, destination]) =>
      fetch('/api/copy', { method: 'POST', body: JSON.stringify({ source, destination }) }),
    [model, other],
  );
  await page.reload();
  await page.getByRole('button', { name: 'Brief' }).click();
  await page.getByRole('button', { name: parts.compare.start }).click();
  await page.getByLabel(words.model, { exact: true }).selectOption(model);
  await page.getByLabel(parts.compare.second).selectOption(other);
  await sendMessage(page, 'What is the capital of France?');
  const both = page.locator('tabd-answer-pair tabd-message');
  await expect(page.getByRole('group', { name: parts.compare.group })).toBeVisible();
  await expect(both).toHaveCount(2);
  await expect(both.last()).toContainText(`${other} · `);
  for (const answer of await both.all())
    await expect(answer).toContainText('The capital of France is Paris.');
  await expectAccessible(page);
  await page.getByRole('button', { name: parts.compare.use }).click();
  await expect(
    page.getByRole('region', { name: other }).getByRole('img', { name: parts.compare.inUse }),
  ).toBeVisible();
  await page.getByRole('button', { name: parts.compare.close }).click();
  await expect(both).toHaveCount(0);
  await expect(last(page)).toContainText(`${other} · `);

  await page.getByRole('button', { name: parts.compare.end }).click();
  await last(page).getByLabel(parts.compare.more).click();
  await page.getByRole('button', { name: parts.compare.retryWith(model) }).click();
  await expect(both).toHaveCount(2);
  await expect(both.last()).toContainText(`${model} · `);
  await page.reload();
  await expect(both).toHaveCount(2);
});

test('a Word document is searched for the question, and the sources are shown', async () => {
  await page.getByRole('button', { name: words.newChat }).click();
  await page.getByRole('button', { name: words.options }).click();
  await page.getByLabel(words.maxLength, { exact: true }).fill('8');
  await page.getByLabel(parts.documents.setting).selectOption('passages');
  await page.getByRole('button', { name: words.done }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: words.attach }).click();
  const mimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  await (await chooser).setFiles({ name: 'terms.docx', mimeType, buffer: wordDocument() });
  await expect(page.getByText(parts.documents.passages(embedder))).toBeVisible();
  await sendMessage(page, 'How do I get my money back?');
  await again(page).waitFor();
  await last(page).getByText(parts.documents.sources(1)).click();
  // The answer may have a list, too.
  await expect(last(page).locator('.sources').getByRole('listitem')).toContainText(
    'We pay the price back to your card.',
  );
  await expectAccessible(page);

  const saving = page.waitForEvent('download');
  await openMenu(page, 'How do I get my money back?', words.exportJson);
  const { conversations } = JSON.parse(await readFile(await (await saving).path(), 'utf8'));
  expect(conversations[0].turns[0].documents).toEqual([
    {
      name: 'terms.docx',
      text: [
        '# Terms of the shop',
        'You can return anything within 30 days. We pay the price back to your card.\tSee note-1\nat the end.',
        '- Parcels are sent within two days.',
        '  - Not on Sundays.',
        '| Country | Price |\n| Spain | 4 € & tax |',
        'In a box.',
        'A footnote.',
      ].join('\n\n'),
    },
  ]);
});
