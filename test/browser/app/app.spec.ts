/** The page as a user sees it: the built app from the shim's own server, real weights, stock clients in the page. */
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { snippets } from '#web/app/api/snippets.ts';
import { chatStrings } from '#web/app/strings/chat.ts';
import { makeStateHome } from '../../contract/transports/states.ts';
import { tinyPart } from '../../support/model-files/split-gguf.ts';
import { tinyGguf } from '../../support/model-files/tiny-gguf.ts';
import { removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { loadClients } from '../support/load-clients.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 120_000 });

const model = 'smollm2:135m';
const question = 'What is the capital of France?';

let home: string;
let shim: RunningShim;
let context: BrowserContext;
let page: Page;
const requests: string[] = [];

test.describe.configure({ mode: 'serial', timeout: 240_000 });

test.beforeAll(async ({ browser }) => {
  home = await makeStateHome('ready');
  shim = await startShim(home);
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  context.on('request', (request) => requests.push(request.url()));
  page = await context.newPage();
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

const composer = () => page.getByRole('textbox', { name: 'Write a message' });
const lastAnswer = () => page.locator('tabd-message').last();

async function ask(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press('Enter');
}

/**
 * Waits for a complete answer that contains `word`. The page samples at random, so it repeats the question after other
 * answers.
 */
async function answeredWith(word: string): Promise<void> {
  await expect(async () => {
    const again = lastAnswer().getByRole('button', { name: chatStrings.retry });
    const inTime = again.waitFor({ timeout: 45_000 });
    await inTime.catch(() => page.getByRole('button', { name: 'Stop' }).click({ timeout: 5_000 }));
    await again.waitFor({ timeout: 10_000 });
    try {
      for (const part of [word, 'tokens/s'])
        await expect(lastAnswer()).toContainText(part, { timeout: 2_000 });
    } catch (another) {
      await again.click();
      throw another;
    }
  }).toPass({ timeout: 200_000 });
}

test('a first visit offers models, downloads one with progress, and chats on the CPU', async () => {
  await page.goto(`http://localhost:${shim.ports.app}/`);
  await expect(page.getByRole('heading', { name: chatStrings.noModel })).toBeVisible();
  await page.getByRole('button', { name: `Download ${model}` }).click();
  await expect(page.getByRole('progressbar', { name: model })).toBeVisible();
  await ask(question);
  await answeredWith('Paris');
  await expect(lastAnswer()).toContainText(/tokens\/s · CPU/);
  await expect(page.getByRole('banner')).toContainText('CPU');
});

test('an answer can be stopped and repeated', async () => {
  // A small model may end its story at once: then the test requests another one.
  await expect(async () => {
    await page.getByRole('button', { name: 'New chat' }).click({ timeout: 10_000 });
    await ask('Write a very long story about the sea, with many chapters.');
    await expect(lastAnswer().locator('.answer')).toContainText(/\w/);
    await page.getByRole('button', { name: 'Stop' }).click({ timeout: 5_000 });
    await expect(lastAnswer()).toContainText(chatStrings.stoppedMidway, { timeout: 5_000 });
  }).toPass({ timeout: 120_000 });
  await page.getByRole('button', { name: 'New chat' }).click();
  await ask(question);
  await answeredWith('Paris');
  await page.reload();
  await expect(lastAnswer()).toContainText('Paris');
  await page.getByRole('button', { name: chatStrings.retry }).click();
  await answeredWith('Paris');
});

test('a failed download states the cause and can be dismissed', async () => {
  await page.getByRole('link', { name: 'Models' }).click();
  await page.getByRole('combobox', { name: /^Name/ }).fill('bad name!');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('invalid model name');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

async function importFiles(files: Record<string, Buffer>) {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import GGUF files…' }).click();
  await (await chooser).setFiles(
    Object.entries(files).map(([name, buffer]) => ({ name, mimeType: '', buffer })),
  );
}

test('a local file that is no model is refused', async () => {
  await importFiles({ 'junk.gguf': Buffer.from('this is no model') });
  await expect(page.getByRole('alert')).toContainText(/GGUF/);
  await page.getByRole('button', { name: 'Dismiss' }).click();
});

test('local files can be opened as models, with all parts of one that was split', async () => {
  await importFiles({
    'tiny-Q8_0-00002-of-00002.gguf': Buffer.from(tinyPart(1, 2)),
    'tiny-Q8_0-00001-of-00002.gguf': Buffer.from(tinyPart(0, 2)),
    'other.gguf': Buffer.from(tinyGguf()),
  });
  for (const name of ['tiny:q8_0', 'other']) {
    const row = page.getByRole('listitem').filter({ hasText: name });
    await expect(row).toHaveCount(1);
    await row.getByRole('button', { name: /Delete/ }).click();
  }
  const count = () => page.evaluate(async () => (await (await fetch('/api/tags')).json()).models.length);
  // A deletion can be undone for a while.
  await expect.poll(count).toBe(1);
});

test('the self-test runs and its report can be copied', async () => {
  await page.goto(`http://localhost:${shim.ports.app}/#/selftest`);
  await page.getByRole('button', { name: 'Run the self-test' }).click();
  await page.getByRole('button', { name: 'Copy report' }).click({ timeout: 200_000 });
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toContain(`Model: ${model}`);
  expect(report).toContain('GPU against CPU: not compared (no usable GPU)');
  expect(report).toMatch(/ran on CPU/);
});

test('the snippet for page code runs as shown', async () => {
  await page.goto(`http://localhost:${shim.ports.app}/#/api`);
  const port = `localhost:${shim.ports['local-models']}`;
  const { fetch: code, curl } = snippets(model, `http://localhost:${shim.ports.app}`, port);
  await expect(page.locator('pre', { hasText: 'curl http' })).toHaveText(curl);
  await expect(page.locator('pre', { hasText: "fetch('/api/chat'" })).toHaveText(code);
  const said = await page.evaluate(
    (source) =>
      new Function('console', `return (async () => { let said; ${source}; return said })()`)({
        log: () => {},
      }),
    // A shorter wait, because the real one is too long for a test.
    code
      .replace('stream: false', 'stream: false, options: { num_predict: 24 }')
      .replace('console.log(', 'said = ('),
  );
  expect(said).toMatch(/\w+/);
});

const throughClients = () =>
  page.evaluate(
    async ({ model, question }) => {
      const { Ollama, OpenAI } = (globalThis as unknown as { clients: typeof import('../clients/entry.ts') })
        .clients;
      const messages = [{ role: 'user' as const, content: question }];
      const ollama = new Ollama({ host: location.origin });
      const fromOllama: string[] = [];
      for await (const part of await ollama.chat({
        model,
        messages,
        stream: true,
        options: { temperature: 0 },
      }))
        fromOllama.push(part.message.content);
      const openai = new OpenAI({
        baseURL: `${location.origin}/v1`,
        apiKey: 'any',
        dangerouslyAllowBrowser: true,
      });
      const fromOpenai: string[] = [];
      for await (const chunk of await openai.chat.completions.create({
        model,
        messages,
        stream: true,
        temperature: 0,
      }))
        fromOpenai.push(chunk.choices[0]?.delta.content ?? '');
      return { fromOllama, fromOpenai };
    },
    { model, question },
  );

test('stock clients of the page stream real answers through the service worker', async () => {
  await loadClients(page, 'entry.ts');
  const { fromOllama, fromOpenai } = await throughClients();
  expect(fromOllama.join('')).toBe('The capital of France is Paris.');
  expect(fromOllama.length).toBeGreaterThan(4);
  expect(fromOpenai.join('')).toBe('The capital of France is Paris.');
  expect(fromOpenai.length).toBeGreaterThan(4);
});

test('without the shim and the network, the page opens and answers', async () => {
  await shim.stop();
  await context.setOffline(true);
  await page.goto(`http://localhost:${shim.ports.app}/#/`);
  await page.reload();
  await expect(composer()).toBeVisible();
  await loadClients(page, 'entry.ts');
  expect((await throughClients()).fromOllama.join('')).toBe('The capital of France is Paris.');
});

test('a model can be deleted', async () => {
  await page.getByRole('link', { name: 'Models' }).click();
  await page.getByRole('button', { name: `Delete ${model}` }).click();
  await expect(page.getByText('No models yet.')).toBeVisible();
});

test('the page sent requests to this computer alone', () => {
  const foreign = requests.filter((url) => !/^(http:\/\/localhost:|data:|blob:)/.test(url));
  expect(foreign).toEqual([]);
});
