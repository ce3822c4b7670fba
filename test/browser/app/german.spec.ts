/** The page in German. */
import { type Page, expect as quick, test } from '@playwright/test';
import { appStrings } from '#web/app/strings/de/app.ts';
import { chatStrings } from '#web/app/strings/de/chat.ts';
import { modelStrings } from '#web/app/strings/de/models.ts';
import { settingsStrings } from '#web/app/strings/de/settings.ts';
import { settingsStrings as englishSettings } from '#web/app/strings/settings.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { expectAccessible } from '../support/accessible.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 60_000 });
const model = 'smollm2:135m';
const VIEWS = ['images', 'workflows', 'models', 'api', 'api/reference', 'settings', 'nowhere'];

let home: string;
let shim: RunningShim;
test.beforeAll(async () => {
  home = await makeHome([{ name: model, path: await smollm2() }]);
  shim = await startShim(home);
});
test.afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

/** German words are long: no view may be wider than the screen, and no label wider than its link. */
async function expectNoOverflow(page: Page, width: number): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  const tooWide = await page.evaluate(() => {
    const found: string[] = [];
    const look = (root: ParentNode) => {
      for (const element of root.querySelectorAll<HTMLElement>('*')) {
        const wide = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
        if (wide && element.matches('button, nav a, summary, h1, h2, .view, main'))
          found.push(`${element.localName} ${element.textContent.trim().slice(0, 40)}`);
        if (element.shadowRoot) look(element.shadowRoot);
      }
    };
    look(document);
    return found;
  });
  expect(tooWide, `${page.url()} at ${width} px`).toEqual([]);
}

/** Images of a view for people to look at. */
async function look(page: Page, name: string, width: number): Promise<void> {
  const folder = process.env.TABD_LOOK_AT;
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/${name.replace('/', '-')}-${width}-${colorScheme}.png` });
  }
}

test('a German browser gets a German page that chats, and every view fits', async ({ browser }) => {
  const context = await browser.newContext({ locale: 'de-DE' });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`http://localhost:${shim.ports.app}/`);
  await expect(page.getByRole('heading', { name: chatStrings.noModel })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  // 98 MB would be the same in English, but not 98,4 MB.
  await look(page, 'welcome', 1280);
  await page.getByRole('button', { name: modelStrings.actionOn(modelStrings.pull, model) }).click();
  await page.getByRole('textbox', { name: chatStrings.placeholder }).fill('What is the capital of France?');
  await page.keyboard.press('Enter');
  await expect(page.locator('tabd-message').last().locator('.answer')).toContainText(/\w/);
  await expect(page.getByRole('button', { name: chatStrings.retry })).toBeVisible();
  await expect(page.locator('tabd-message').last()).toContainText(/Token\/s/);
  await expectAccessible(page);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expectNoOverflow(page, width);
    await look(page, 'chat', width);
    for (const view of VIEWS) {
      await page.goto(`http://localhost:${shim.ports.app}/#/${view}`);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await page.waitForTimeout(500);
      await expectNoOverflow(page, width);
      await look(page, view, width);
    }
    await page.goto(`http://localhost:${shim.ports.app}/#/`);
  }
  expect(errors).toEqual([]);
  await context.close();
});

test('the settings choose the language, and the address comes first', async ({ browser }) => {
  const context = await browser.newContext({ locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(`http://localhost:${shim.ports.app}/?lang=de#/settings`);
  const german = page.getByRole('combobox', { name: settingsStrings.appearance.language });
  await expect(page.getByRole('heading', { name: settingsStrings.heading, exact: true })).toBeVisible();
  await german.selectOption('en');
  const english = page.getByRole('combobox', { name: englishSettings.appearance.language });
  await expect(english).toHaveValue('en');
  expect(page.url()).not.toContain('lang');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await english.selectOption('de');
  await expect(german).toHaveValue('de');
  await expect(page.getByRole('link', { name: appStrings.nav.images })).toBeVisible();
  await german.selectOption('');
  await expect(english).toHaveValue('');
  await context.close();
});
