/** Speech is recorded in the page and written down by a model of the tab, which writes one text for each recording. */
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { chatStrings } from '#web/app/strings/chat.ts';
import { dictationStrings } from '#web/app/strings/dictation.ts';
import { HEARING_MODEL } from '../../support/local-models/whisper/hearing-host.ts';
import { TINY_TEXT, tinyWhisper } from '../../support/local-models/whisper/tiny-whisper.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { chromiumLaunch } from '../../support/processes/chromium.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { openAppTab, pullIntoTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 90_000 });
const model = 'smollm2:135m';

let home: string;
let shim: RunningShim;
let context: BrowserContext;
let page: Page;

test.describe.configure({ mode: 'serial', timeout: 300_000 });
// The microphone of this browser is a tone.
test.use({ launchOptions: await chromiumLaunch(['--use-fake-device-for-media-stream']) });

test.beforeAll(async ({ browser }) => {
  home = await makeHome([
    { name: model, path: await smollm2() },
    { name: HEARING_MODEL, files: tinyWhisper() },
  ]);
  shim = await startShim(home);
  context = await browser.newContext({ permissions: ['microphone'] });
  page = await openAppTab(context, `http://localhost:${shim.ports.app}`);
  await pullIntoTab(page, model);
  await page.reload();
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

const composer = () => page.getByRole('textbox', { name: chatStrings.placeholder });
const dictate = () => page.getByRole('button', { name: dictationStrings.dictate, exact: true });
const stop = () => page.getByRole('button', { name: dictationStrings.stop });

test('without a model that hears there is no button', async () => {
  await expect(composer()).toBeVisible();
  await expect(page.getByRole('button', { name: chatStrings.attach })).toBeVisible();
  await expect(dictate()).toHaveCount(0);
});

test('speech is added to the draft', async () => {
  await pullIntoTab(page, HEARING_MODEL);
  await page.reload();
  await composer().fill('Hello!');
  await dictate().click();
  await expect(stop()).toBeVisible();
  await expectAccessible(page);
  await page.waitForTimeout(1000);
  await stop().click();
  await expect(composer()).toHaveValue(`Hello! ${TINY_TEXT}`);
  await expect(dictate()).toBeEnabled();
});

test('a failure is reported, and the draft stays', async () => {
  await dictate().click();
  await expect(stop()).toBeVisible();
  await page.evaluate(async (model) => {
    await fetch('/api/delete', { method: 'DELETE', body: JSON.stringify({ model }) });
  }, HEARING_MODEL);
  await stop().click();
  const reason = `model '${HEARING_MODEL}' not found`;
  await expect(page.getByRole('alert')).toHaveText(dictationStrings.failed(reason));
  await expect(composer()).toHaveValue(`Hello! ${TINY_TEXT}`);
  await pullIntoTab(page, HEARING_MODEL);
});

test('a refused microphone is reported', async () => {
  await context.clearPermissions();
  await page.reload();
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('Permission denied'));
  });
  await dictate().click();
  await expect(page.getByRole('alert')).toHaveText(dictationStrings.noMicrophone('Permission denied'));
});
