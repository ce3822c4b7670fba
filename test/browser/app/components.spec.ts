/** The page of all components, which the development server offers. */
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { createServer, type ViteDevServer } from 'vite';
import { expectAccessible } from '../support/accessible.ts';

let server: ViteDevServer;
let address: string;
test.beforeAll(async () => {
  server = await createServer({
    configFile: fileURLToPath(new URL('../../../vite.config.ts', import.meta.url)),
    mode: 'app',
    logLevel: 'error',
    server: { port: 0, host: '127.0.0.1', hmr: false, watch: null },
    cacheDir: fileURLToPath(new URL('../../../.cache/components', import.meta.url)),
  });
  await server.listen();
  address = server.resolvedUrls!.local[0]!;
});
test.afterAll(() => server?.close());

test('all components are accessible, on wide and on narrow screens', async ({ browser }) => {
  // A separate context, because axe opens another page.
  const page = await (await browser.newContext()).newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${address}#/components`);
  await expect(page.getByRole('heading', { name: 'Components', exact: true })).toBeVisible();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await page.getByRole('button', { name: 'Question for a text' }).click();
  const field = page.getByRole('textbox', { name: 'New name' });
  await expect(field).toBeFocused();
  // The dialog has the tokens, although it is outside of the app's element.
  await expect(field).toHaveCSS('border-radius', '8px');
  await page.getByRole('button', { name: 'Cancel' }).last().click();
  await expect(field).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.context().close();
});

test('a tooltip appears under a mouse and with the focus of the keyboard, and Escape hides it', async ({
  browser,
}) => {
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
  await page.goto(`${address}components.html`);
  const button = page.getByRole('button', { name: 'With a tooltip' });
  const tip = page.getByRole('tooltip');
  await button.hover();
  await expect(tip).toHaveText('Save the changesCtrlS');
  // The mouse may move over it, to read it with a magnifier.
  await tip.hover();
  await page.waitForTimeout(400);
  await expect(tip).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tip).toBeHidden();
  // From one to the next it appears at once.
  await page.getByRole('button', { name: 'Undo', exact: true }).hover();
  await expect(tip).toHaveText('UndoCtrlZ');
  await page.mouse.move(0, 0);
  await expect(tip).toBeHidden();
  await button.focus();
  await page.keyboard.press('Tab');
  await expect(tip).toHaveText('UndoCtrlZ');
  const box = (await tip.boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y + box.height).toBeLessThanOrEqual(700);
  await page.keyboard.press('Shift+Tab');
  await expect(tip).toHaveText('Save the changesCtrlS');
  await page.keyboard.press('Enter');
  await expect(tip).toBeHidden();
  await page.close();
});

test('touch shows no tooltip', async ({ browser }) => {
  const context = await browser.newContext({ hasTouch: true, viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${address}components.html`);
  await page.getByRole('button', { name: 'With a tooltip' }).tap();
  await page.waitForTimeout(800);
  await expect(page.getByRole('tooltip')).toBeHidden();
  await context.close();
});
