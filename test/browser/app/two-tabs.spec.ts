/** Two tabs of a browser: each shows the actions of the other one, and continues its answers after it is closed. */
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { graphText } from '#core/api-client';
import { graphStrings as graph } from '#web/app/graph-editor/strings.ts';
import { chatStrings } from '#web/app/strings/chat.ts';
import { workflowStrings as workflows } from '#web/app/strings/workflows.ts';
import { EMOJI, writeEmojiModel } from '../../support/model-files/emoji-model.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { filesOfTab, openAppTab, pullIntoTab } from '../../support/processes/tab.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 60_000 });
const words = chatStrings;
const model = 'smollm2:135m';
/** A prompt whose answer takes longer than a test can wait. */
const LONG = 'Count from 1 to 1000, with commas.';

let home: string;
let shim: RunningShim;
let context: BrowserContext;
/** The first tab answers the requests of both. */
let leader: Page;
let other: Page;

test.describe.configure({ mode: 'serial', timeout: 180_000 });

test.beforeAll(async ({ browser }) => {
  home = await makeHome([{ name: model, path: await smollm2() }]);
  shim = await startShim(home);
  context = await browser.newContext();
  context.setDefaultTimeout(60_000);
  leader = await open();
  await pullIntoTab(leader, model);
  await writeEmojiModel(filesOfTab(leader));
  // The app lists the stored data when it starts.
  await leader.reload();
  other = await open('/#/workflows');
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

const open = (hash = '/') => openAppTab(context, `http://localhost:${shim.ports.app}`, hash);

/** Navigates by the hash, as a link would: the page is not loaded again. */
const go = (page: Page, hash: string) =>
  page.evaluate((to) => {
    location.hash = to;
  }, hash);

const call = (page: Page, path: string, body: string) =>
  page.evaluate(
    async ([to, text]) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(to!, { method: 'POST', headers, body: text! });
      return [response.status, await response.text()];
    },
    [path, body],
  );

const last = (page: Page) => page.locator('tabd-message').last();
const again = (page: Page) => last(page).getByRole('button', { name: words.retry });

/** Opens a new chat, so that equal prompts get equal answers. */
async function ask(page: Page, text: string): Promise<void> {
  await go(page, '#/');
  await page.getByRole('button', { name: words.newChat }).click();
  await limit(page, '-1');
  await page.getByRole('textbox', { name: words.placeholder }).fill(text);
  await page.getByRole('button', { name: words.send, exact: true }).click();
  await expect(last(page).locator('.answer')).toContainText(/\w/);
}

async function limit(page: Page, tokens: string): Promise<void> {
  await page.getByRole('button', { name: words.options }).click();
  await page.getByLabel(words.temperature, { exact: true }).fill('0');
  await page.getByLabel(words.maxLength, { exact: true }).fill(tokens);
  await page.getByRole('button', { name: words.done }).click();
}

test('workflows, their runs, and the queue of images are the same in both', async () => {
  await go(leader, '#/workflows');
  await leader.getByRole('button', { name: workflows.templates.json.label }).click();
  await leader.getByRole('button', { name: workflows.publish }).click();
  await other.getByRole('link', { name: 'Say hello' }).click();
  await other.getByRole('link', { name: workflows.page.executions, exact: true }).click();
  await expect(other.getByText(workflows.published, { exact: true })).toBeVisible();
  expect(await call(leader, '/webhook/hello', '{}')).toEqual([200, '{"hello":"world"}']);
  await expect(other.getByRole('row').filter({ hasText: workflows.run.states.success })).toHaveCount(1);

  for (const page of [leader, other]) {
    await go(page, '#/images/graph');
    await page.getByRole('button', { name: graph.runs.button(0) }).click();
  }
  for (const seed of ['1', '2']) {
    const prompt = graphText({
      checkpoint: EMOJI,
      prompt: 'a red heart',
      negative: '',
      width: 128,
      height: 128,
      steps: 1000,
      guidance: 1,
      sampler: 'euler',
      scheduler: 'normal',
      seed,
    });
    expect(await call(leader, '/prompt', `{"prompt":${prompt}}`)).toEqual([200, expect.any(String)]);
  }
  const queue = (page: Page) => page.getByRole('list', { name: graph.runs.queue }).getByRole('listitem');
  for (const page of [leader, other]) await expect(queue(page)).toHaveCount(2);
  await other.getByRole('button', { name: graph.runs.remove }).first().click();
  await expect(queue(leader)).toHaveCount(1);
  await queue(other).getByRole('button', { name: graph.stop }).click();
  await expect(leader.getByText(graph.runs.queueEmpty)).toBeVisible();
  await expect(leader.getByRole('list', { name: graph.runs.history })).toContainText(
    graph.runs.ended.stopped,
  );
});

const textOf = async (page: Page) => (await last(page).locator('.answer').textContent()) ?? '';

/** Waits until the answer has more text than `before`, which it begins with. */
async function expectLonger(page: Page, before: string): Promise<void> {
  await expect.poll(async () => textOf(page).then(({ length }) => length)).toBeGreaterThan(before.length + 3);
  expect(await textOf(page)).toContain(before.trim());
}

test('when the leading tab closes in mid-answer, the other tab continues the answer', async () => {
  await ask(leader, LONG);
  await go(other, '#/');
  await other.getByRole('link', { name: LONG }).click();
  const answer = last(other).locator('.answer');
  await expect(answer).toContainText(/\w/);
  await expect(other.getByRole('button', { name: words.stop })).toHaveCount(0);
  const before = await textOf(other);
  await leader.close();
  await other.getByRole('button', { name: words.stop }).waitFor();
  await expectLonger(other, before);
  await other.getByRole('button', { name: words.stop }).click();

  // All completed work is stored, and this tab answers from now on.
  expect(await call(other, '/webhook/hello', '{"name":"Ada"}')).toEqual([200, '{"hello":"Ada"}']);
  await limit(other, '4');
  await again(other).click();
  await expect(last(other)).toContainText(words.lengthLimit);
  await go(other, '#/workflows');
  await other.getByRole('link', { name: 'Say hello' }).click();
  await other.getByRole('link', { name: workflows.page.executions, exact: true }).click();
  await expect(other.getByRole('row').filter({ hasText: workflows.run.states.success })).toHaveCount(2);
});

test('an answer continues when the server of its page ends, and when the only page is loaded again', async () => {
  const asking = await open();
  await ask(asking, LONG);
  let before = await textOf(asking);
  await other.close();
  await expectLonger(asking, before);
  await expect(last(asking).getByRole('alert')).toHaveCount(0);

  before = await textOf(asking);
  await asking.reload();
  await expectLonger(asking, before);
  await asking.getByRole('button', { name: words.stop }).click();
  await expect(asking.locator('tabd-message').first()).toContainText(LONG);
  await expect(again(asking)).toBeEnabled();
});
