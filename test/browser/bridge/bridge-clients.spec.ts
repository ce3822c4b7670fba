/** Independent programs on the three ports of the real shim. A real tab answers them: no model runs in Node. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { ComfyUIClient, type Prompt } from 'comfy-ui-client';
import { Ollama } from 'ollama';
import { makeStateHome } from '../../contract/transports/states.ts';
import { removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { pullIntoTab } from '../../support/processes/tab.ts';

const expect = quick.configure({ timeout: 60_000 });
const model = 'smollm2:135m';
const france = { role: 'user', content: 'What is the capital of France?' };

let home: string;
let shim: RunningShim;
let context: BrowserContext;
let page: Page;

test.describe.configure({ mode: 'serial', timeout: 300_000 });

test.beforeAll(async ({ browser }) => {
  home = await makeStateHome('ready');
  shim = await startShim(home, { args: ['--via-tab'] });
  context = await browser.newContext();
  page = await context.newPage();
  await page.goto(/http:\S+#\/bridge\?token=\S+/.exec(shim.output())![0]);
  await connected();
  // The computer that serves the page has the weights.
  await pullIntoTab(page, model);
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  if (home) await removeHome(home);
});

const at = (port: 'local-models' | 'image-workflows' | 'webhooks') => `http://127.0.0.1:${shim.ports[port]}`;

async function connected(): Promise<void> {
  const state = async () => (await fetch(`http://127.0.0.1:${shim.ports.app}/tabd/answering`)).json();
  await expect.poll(state).toEqual({ by: 'tab', connected: true });
}

/** The response with its head. */
const curl = (...args: string[]) => bareCurl('-i', ...args);

async function bareCurl(...args: string[]): Promise<string> {
  return (await promisify(execFile)('curl', ['-sS', '--max-time', '120', ...args])).stdout;
}

test('curl calls all three APIs', async () => {
  const body = { model, messages: [france], stream: false, temperature: 0, max_tokens: 12 };
  const chat = await curl(`${at('local-models')}/v1/chat/completions`, '-d', JSON.stringify(body));
  expect(chat).toMatch(/x-tabd-served-by: tab/i);
  expect(chat).toContain('Paris');
  expect(await curl(`${at('image-workflows')}/system_stats`)).toMatch(/x-tabd-served-by: tab/i);
  const hook = await curl('-X', 'POST', `${at('webhooks')}/webhook/none`);
  expect(hook).toMatch(/404[\s\S]*x-tabd-served-by: tab[\s\S]*not registered/i);
});

test('the ollama client streams, and its disconnect stops the tab', async () => {
  const ollama = new Ollama({ host: at('local-models') });
  const story = [{ role: 'user', content: 'Write a very long story about a dragon.' }];
  const long = await ollama.chat({
    model,
    messages: story,
    stream: true,
    options: { num_predict: 2000, temperature: 0 },
  });
  let parts = 0;
  const reading = (async () => {
    for await (const _part of long) if (++parts === 5) long.abort();
  })();
  await expect(reading).rejects.toThrow(/abort/i);
  expect(parts).toBe(5);
  // A model in a tab answers one request at a time. If the story continued, this request would wait for minutes.
  const next = await ollama.chat({ model, messages: [france], options: { temperature: 0, num_predict: 12 } });
  expect(next.message.content).toContain('Paris');
});

test('a ComfyUI client submits, follows over /ws and fetches; the tab is reloaded in between', async () => {
  const graph = {
    1: { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color: 0xff0000 } },
    2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'by-a-tab' } },
  };
  const draw = async () => {
    const client = new ComfyUIClient(at('image-workflows').replace('http://', ''), 'bridge');
    await client.connect();
    try {
      const { 2: images } = await client.getImages(graph as unknown as Prompt);
      const bytes = new Uint8Array(await images![0]!.blob.arrayBuffer());
      return [images![0]!.image.filename, ...bytes.subarray(1, 4)];
    } finally {
      await client.disconnect();
    }
  };
  expect(await draw()).toEqual(['by-a-tab_00001_.png', 80, 78, 71]);
  const running = fetch(`${at('local-models')}/api/generate`, {
    method: 'POST',
    body: JSON.stringify({
      model,
      prompt: 'Write a very long story.',
      options: { num_predict: 2000, temperature: 0 },
    }),
  });
  const reader = (await running).body!.getReader();
  await reader.read();
  await page.reload();
  // The connection ends as broken, so that no client mistakes the answer for a complete one.
  const rest = (async () => {
    let text = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += new TextDecoder().decode(read.value);
    }
    return text;
  })();
  const outcome = await rest.then(
    (text) => (text.includes('"done":true') ? 'ended' : 'broken off'),
    () => 'broken off',
  );
  expect(outcome).toBe('broken off');
  await connected();
  expect(await draw()).toEqual(['by-a-tab_00002_.png', 80, 78, 71]);
});

test('curl uploads 100 MB to the tab, and downloads them after a reload of the tab', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tabd-bridge-'));
  try {
    const [up, down] = [join(folder, 'up.bin'), join(folder, 'down.bin')];
    await writeFile(up, Buffer.alloc(100_000_000, randomBytes(999_983)));
    const uploaded = await curl('-F', `image=@${up}`, `${at('image-workflows')}/upload/image`);
    expect(uploaded).toMatch(/ 200 [\s\S]*"name": ?"up.bin"/);
    await page.reload();
    await connected();
    await bareCurl('-o', down, `${at('image-workflows')}/view?filename=up.bin&type=input`);
    const hash = async (path: string) =>
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
    expect(await hash(down)).toBe(await hash(up));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the settings list the browser with its models, and give it a name', async () => {
  await page.goto(`http://localhost:${shim.ports.app}/#/settings`);
  const browsers = page.locator('tabd-connected-browsers');
  await expect(browsers.getByText('1 model')).toBeVisible();
  await browsers.getByRole('button', { name: 'Rename: Chrome' }).click();
  await browsers.getByRole('textbox').fill('Work laptop');
  await browsers.getByRole('button', { name: 'Save' }).click();
  await expect(browsers.getByText('Work laptop')).toBeVisible();
  await browsers.getByRole('button', { name: 'Connect another browser' }).click();
  await expect(browsers.getByText(/#\/bridge\?token=/)).toBeVisible();
});

test('the switch on the page returns the ports to the shim, and takes them again', async () => {
  await page.goto(`http://localhost:${shim.ports.app}/#/api`);
  const control = page.getByRole('switch');
  await expect(control).toBeChecked();
  const servedBy = async () =>
    (await fetch(`${at('local-models')}/api/version`)).headers.get('x-tabd-served-by');
  await control.uncheck();
  await expect.poll(servedBy).toBe('node');
  await control.check();
  await expect(page.getByText('/#/bridge?token=')).toBeVisible();
  await expect.poll(servedBy).toBe('tab');
});
