/** Answers are read aloud in the page, by a model of the tab whose speech is tones. */
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { chatStrings } from '#web/app/strings/chat.ts';
import { readingStrings } from '#web/app/strings/reading.ts';
import { SPEAKING_MODEL } from '../../support/local-models/speaking/speaking-host.ts';
import { tinyVoice } from '../../support/local-models/speaking/tiny-voice.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
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

test.beforeAll(async ({ browser }) => {
  home = await makeHome([
    { name: model, path: await smollm2() },
    { name: SPEAKING_MODEL, files: tinyVoice() },
  ]);
  shim = await startShim(home);
  context = await browser.newContext();
  page = await openAppTab(context, `http://localhost:${shim.ports.app}`);
  await pullIntoTab(page, model);
  await page.reload();
  await page.getByRole('textbox', { name: chatStrings.placeholder }).fill('Say hello to the world.');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: chatStrings.retry })).toBeVisible();
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

const read = () => page.getByRole('button', { name: readingStrings.read });
const stop = () => page.getByRole('button', { name: readingStrings.stop });

/** Counts the samples that the page plays from now on. */
const countSamples = () =>
  page.evaluate(() => {
    const counted = globalThis as { playedSamples?: number };
    counted.playedSamples = 0;
    const { start } = AudioBufferSourceNode.prototype;
    AudioBufferSourceNode.prototype.start = function (...when) {
      counted.playedSamples! += this.buffer!.length;
      start.apply(this, when);
    };
  });
const played = () => page.evaluate(() => (globalThis as { playedSamples?: number }).playedSamples!);

test('without a model that speaks there is no button', async () => {
  await expect(page.getByRole('button', { name: chatStrings.copy, exact: true }).last()).toBeVisible();
  await expect(read()).toHaveCount(0);
});

test('an answer is read to its end', async () => {
  await pullIntoTab(page, SPEAKING_MODEL);
  await page.reload();
  await countSamples();
  await read().click();
  await expect(stop()).toBeVisible();
  await expect.poll(played).toBeGreaterThan(1000);
  await expectAccessible(page);
  await expect(read()).toBeVisible();
});

test('a press stops it', async () => {
  await page.evaluate(() => {
    // So slow that it cannot end before the press.
    const { fetch } = window;
    window.fetch = (input, init) =>
      fetch(input, {
        ...init,
        ...(String(input).endsWith('/v1/audio/speech') && {
          body: JSON.stringify({ ...JSON.parse(String(init!.body)), speed: 0.25 }),
        }),
      });
  });
  await read().click();
  await stop().click();
  await expect(read()).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a failure is reported', async () => {
  await page.evaluate(async (model) => {
    await fetch('/api/delete', { method: 'DELETE', body: JSON.stringify({ model }) });
  }, SPEAKING_MODEL);
  await read().click();
  const reason = `model '${SPEAKING_MODEL}' not found`;
  await expect(page.getByRole('alert')).toHaveText(readingStrings.failed(reason));
  await expect(read()).toBeVisible();
});
