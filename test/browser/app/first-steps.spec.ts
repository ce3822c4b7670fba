/** How many clicks a new user needs for each first result. */
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { appStrings } from '#web/app/strings/app.ts';
import { chatStrings } from '#web/app/strings/chat.ts';
import { imageStrings } from '#web/app/strings/images.ts';
import { workflowStrings } from '#web/app/strings/workflows.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { expectAccessible } from '../support/accessible.ts';
import { clicks, countClicks } from '../support/clicks.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 60_000 });
const model = 'smollm2:135m';

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

/** Opens the app as on a first visit. */
async function firstVisit(context: BrowserContext): Promise<Page> {
  await countClicks(context);
  const page = await context.newPage();
  await page.goto(`http://localhost:${shim.ports.app}/`);
  return page;
}

/** The layout shift of the page so far, without those after user input: https://web.dev/articles/cls. */
function layoutShift(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => {
          const shifts = list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[];
          resolve(shifts.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0));
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(0), 500);
      }),
  );
}

test('the second visit has the font of the app with digits of one width, and no text moves', async ({
  context,
}) => {
  const app = await firstVisit(context);
  const families = () =>
    app.evaluate(() => [...document.fonts].map(({ family, status }) => `${family} ${status}`));
  expect(await families()).toEqual([]);
  // The service worker stores it with all other files.
  await app.waitForFunction(async () => {
    const files = await Promise.all(
      (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
    );
    return files.flat().some(({ url }) => url.endsWith('.woff2'));
  });
  // A busy processor may read the font too late. Then the visit continues without it.
  await expect(async () => {
    await app.reload();
    await expect(app.getByRole('heading', { name: chatStrings.noModel })).toBeVisible();
    expect(await families()).toEqual(['Inter loaded']);
  }).toPass();
  expect(await layoutShift(app)).toBeLessThan(0.02);
  const widths = await app.evaluate(() => {
    const text = document.createElement('span');
    text.style.cssText = 'font: 16px Inter; font-variant-numeric: tabular-nums; position: absolute';
    document.body.append(text);
    return ['1111', '0000', '8888'].map((digits) => {
      text.textContent = digits;
      return text.getBoundingClientRect().width;
    });
  });
  expect(new Set(widths).size).toBe(1);
});

test('a chat answer needs two clicks, including the consent to download a model', async ({ context }) => {
  const app = await firstVisit(context);
  await app.getByRole('button', { name: `Download ${model}` }).click();
  await app.getByRole('textbox', { name: chatStrings.placeholder }).click();
  await app.keyboard.type('What is the capital of France?');
  await app.keyboard.press('Enter');
  await expect(app.locator('tabd-message').last().locator('.answer')).toContainText(/\w/);
  expect(await clicks(app)).toBe(2);
});

test('an image needs two clicks, including the consent to download a model', async ({ context }) => {
  const app = await firstVisit(context);
  await expect(app.getByRole('heading', { name: chatStrings.noModel })).toBeVisible();
  expect(await layoutShift(app)).toBeLessThan(0.02);
  await app.getByRole('link', { name: appStrings.nav.images }).click();
  const make = app.getByRole('button', { name: imageStrings.getAndMake('emoji-128') });
  await expect(make).toBeVisible();
  await expectAccessible(app);
  await make.click();
  const images = app.getByRole('listitem').getByRole('img', { name: imageStrings.placeholder });
  await expect(images).toHaveCount(1);
  expect(await clicks(app)).toBe(2);
  expect(await images.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(128);
});

test("four clicks publish a webhook with its model, which answers with the model's words", async ({
  context,
}) => {
  const app = await firstVisit(context);
  await app.getByRole('link', { name: appStrings.nav.workflows }).click();
  await app.getByRole('button', { name: workflowStrings.templates.ask.label }).click();
  await app
    .getByRole('button', { name: workflowStrings.missingModel.download(model, '135M', 'apache-2.0') })
    .click();
  await app.getByRole('button', { name: workflowStrings.publish }).click();
  await expect(app.getByText(workflowStrings.published, { exact: true })).toBeVisible();
  expect(await clicks(app)).toBe(4);
  await expect(app.getByText(workflowStrings.missingModel.downloading(model))).toHaveCount(0);
  const answer = await app.evaluate(async () => {
    const response = await fetch('/webhook/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"What is the capital of France?"}',
    });
    return [response.status, await response.json()];
  });
  expect(answer).toEqual([200, { text: expect.stringMatching(/\w/), model }]);
});
