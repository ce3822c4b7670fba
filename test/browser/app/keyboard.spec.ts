/**
 * Every screen with only the keyboard: the tests open it, walk through it and use it. The focus is visible and never
 * lost.
 */
import { expect, type Page, test } from '@playwright/test';
import { suggestedSettings } from '#core/api-client';
import { apiStrings } from '#web/app/strings/api.ts';
import { appStrings } from '#web/app/strings/app.ts';
import { chatStrings } from '#web/app/strings/chat.ts';
import { imageStrings } from '#web/app/strings/images.ts';
import { modelStrings } from '#web/app/strings/models.ts';
import { selftestStrings } from '#web/app/strings/selftest.ts';
import { settingsStrings } from '#web/app/strings/settings.ts';
import { workflowStrings } from '#web/app/strings/workflows.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { openAppTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';
import { focused, tabTo, walk } from '../support/keyboard.ts';

let home: string;
let shim: RunningShim;
let page: Page;

test.describe.configure({ mode: 'serial', timeout: 120_000 });

test.beforeAll(async ({ browser }) => {
  home = await makeHome([]);
  shim = await startShim(home);
  // A separate context, because axe opens another page.
  page = await openAppTab(await browser.newContext(), `http://localhost:${shim.ports.app}`);
  await expect(page.getByRole('heading', { name: chatStrings.noModel })).toBeVisible();
});
test.afterAll(async () => {
  await page?.context().close();
  await shim?.stop();
  if (home) await removeHome(home);
});

const press = (key: string) => page.keyboard.press(key);
const where = async () => (await focused(page))?.name;

/** Opens the screen by its link, wherever the focus is. */
async function goTo(name: string, heading: string | RegExp): Promise<void> {
  await tabTo(page, name, true);
  await press('Enter');
  await expect.poll(where).toMatch(heading);
}

test('chat: skips the links, walks through the screen, and reads a failed download', async () => {
  await tabTo(page, appStrings.skip);
  await press('Enter');
  await expect.poll(where).toBe(chatStrings.noModel);
  await expectAccessible(page);
  await walk(page);

  await tabTo(page, chatStrings.otherModels, true);
  await press('Enter');
  await tabTo(page, modelStrings.name);
  await page.keyboard.type('bad name!');
  await press('Enter');
  await expect(page.getByRole('alert')).toBeVisible();
  await tabTo(page, modelStrings.dismiss, true);
  await press('Enter');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect.poll(() => focused(page)).not.toBeNull();
});

test('chat on a phone: the drawer traps the focus, and returns it when it closes', async () => {
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 800 });
  await tabTo(page, chatStrings.chats, true);
  await press('Enter');
  for (let steps = 0; steps < 8; steps++) {
    await press('Tab');
    // The browser's own controls come between the last and the first element.
    expect((await focused(page))?.inDialog ?? true).toBe(true);
  }
  await press('Escape');
  await expect.poll(where).toBe(chatStrings.chats);
  await page.setViewportSize(size);
});

test('models: showing more models keeps the focus', async () => {
  await goTo(appStrings.nav.models, modelStrings.heading);
  await tabTo(page, /^\d+ more$/);
  await press('Enter');
  await expect.poll(where).toMatch(new RegExp(`^${modelStrings.pull} `));
  await walk(page);
});

test('images: an image is described', async () => {
  await goTo(appStrings.nav.images, imageStrings.noModel);
  await tabTo(page, /^Prompt/);
  await press('Control+a');
  await page.keyboard.type('a red heart');
  await tabTo(page, imageStrings.steps);
  await press('Control+a');
  await page.keyboard.type('7');
  await tabTo(page, imageStrings.ownPreset, true);
  await press('Space');
  await expect(page.getByLabel(imageStrings.steps)).toHaveValue(
    String(suggestedSettings('emoji-128')!.steps),
  );
  await tabTo(page, imageStrings.more);
  await press('Enter');
  await tabTo(page, new RegExp(`^${imageStrings.negative}`));
  await walk(page);
});

test('workflows: a workflow is created, changed, published, and deleted', async () => {
  await goTo(appStrings.nav.workflows, workflowStrings.heading);
  // The first visit to this screen starts the webhook server.
  await expect(page.getByText(workflowStrings.templates.json.label).first()).toBeVisible();
  await expectAccessible(page);
  await tabTo(page, new RegExp(`^${workflowStrings.templates.json.label}`));
  await press('Enter');
  await expect(page.getByLabel('Path', { exact: true })).toHaveValue('hello');
  await expect.poll(() => focused(page)).not.toBeNull();
  await walk(page);

  await tabTo(page, workflowStrings.publish);
  await press('Enter');
  await expect(page.getByText(workflowStrings.published, { exact: true })).toBeVisible();
  await expect.poll(() => focused(page)).not.toBeNull();

  const menu = workflowStrings.more('Say hello');
  await tabTo(page, menu);
  await press('Enter');
  await press('Escape');
  await expect.poll(where).toBe(menu);
  await press('Enter');
  await tabTo(page, workflowStrings.delete);
  await press('Enter');
  await expect(page.getByText(workflowStrings.none)).toBeVisible();
  await expect.poll(() => focused(page)).not.toBeNull();
});

test('API: a request is sent and inspected', async () => {
  await goTo(appStrings.nav.api, apiStrings.heading);
  await tabTo(page, apiStrings.console.send);
  await press('Enter');
  await expect(page.getByLabel(apiStrings.console.answer)).toContainText('"models"');
  await expect.poll(where).toBe(apiStrings.console.send);
  await tabTo(page, '/api/tags');
  await press('Enter');
  await tabTo(page, apiStrings.live.edit);
  await press('Enter');
  await expect.poll(where).toBe(apiStrings.live.path);
  await tabTo(page, apiStrings.coverage.show);
  await press('Enter');
  await tabTo(page, apiStrings.coverage.search);
  await page.keyboard.type('/v1/messages');
  await expect(page.getByRole('cell', { name: '/v1/messages' })).toBeVisible();
  await expectAccessible(page);
  await walk(page);

  await tabTo(page, apiStrings.reference.open, true);
  await press('Enter');
  await tabTo(page, apiStrings.reference.search);
  await page.keyboard.type('post /prompt');
  const operation = page.locator('tabd-api-reference summary');
  await expect(operation).toHaveText(/POST\s+\/prompt/);
  await tabTo(page, /^POST/);
  await press('Enter');
  await expect(
    page.getByText(`curl 'http://localhost:${shim.ports['image-workflows']}/prompt'`),
  ).toBeVisible();
  await expectAccessible(page);
  await walk(page);
  await tabTo(page, apiStrings.reference.tryIt, true);
  await press('Enter');
  await expect(page.getByLabel(apiStrings.live.path, { exact: true })).toHaveValue('/prompt');
  await expect.poll(where).toBe(apiStrings.live.path);
});

test('settings: nothing is deleted by accident; the self-test can be reached', async () => {
  await goTo(appStrings.nav.settings, settingsStrings.heading);
  await tabTo(page, settingsStrings.wipe.open);
  await press('Enter');
  await expect.poll(async () => (await focused(page))?.inDialog).toBe(true);
  for (let steps = 0; steps < 4; steps++) {
    await press('Tab');
    expect((await focused(page))?.inDialog ?? true).toBe(true);
  }
  await press('Escape');
  await expect.poll(where).toBe(settingsStrings.wipe.open);
  await tabTo(page, settingsStrings.device.selftest, true);
  await press('Enter');
  await expect.poll(where).toBe(selftestStrings.heading);
  await expectAccessible(page);
  await walk(page);
});
