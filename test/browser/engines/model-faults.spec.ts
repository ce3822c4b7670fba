/** Faults in a tab during its work: the built app, real weights, and a hub that fails. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserContext, type Page, expect as quick, test } from '@playwright/test';
import { appStrings } from '#web/app/strings/app.ts';
import { chatStrings } from '#web/app/strings/chat.ts';
import { makeStateHome } from '../../contract/transports/states.ts';
import { type Hub, startHub } from '../../support/local-models/hub.ts';
import { rewriteGguf } from '../../support/model-files/rewrite-gguf.ts';
import { tinyGguf } from '../../support/model-files/tiny-gguf.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { openAppTab, pullIntoTab } from '../../support/processes/tab.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 60_000 });

const model = 'smollm2:135m';
const france = { role: 'user', content: 'What is the capital of France?' };
const story = { role: 'user', content: 'Write a very long story about a dragon.' };
const PARIS = 'The capital of France is Paris.';
const STOPPED = 'model runner has unexpectedly stopped';
const large = tinyGguf({ tensors: [{ name: 'token_embd.weight', shape: [256, 4000], type: 'F32' }] });

interface Line {
  status?: string;
  message?: { content: string };
  error?: string;
  prompt_eval_duration?: number;
}
/** An answer as its reader received it: the lines, and the error of a broken connection. */
interface Seen {
  status: number;
  lines: Line[];
  broken?: string;
  over: boolean;
}
type Watching = { seen: Record<string, Seen> };

let home: string;
let shim: RunningShim;
let hub: Hub;
let context: BrowserContext;
let page: Page;

test.describe.configure({ mode: 'serial', timeout: 240_000 });

test.beforeAll(async ({ browser }) => {
  hub = await startHub({
    'user/files': {
      files: {
        'one.Q4_1.gguf': large,
        'two.Q4_1.gguf': tinyGguf({ contextLength: 512 }),
        'strange.Q4_1.gguf': tinyGguf({ architecture: 'zzzzz' }),
        'hollow.Q4_1.gguf': tinyGguf(),
        'wide.Q4_1.gguf': await wideModel(),
      },
    },
  });
  home = await makeStateHome('ready');
  shim = await startShim(home);
  context = await browser.newContext();
  page = await openApp();
  await pullIntoTab(page, model);
});
test.afterAll(async () => {
  await context?.close();
  await shim?.stop();
  await hub?.close();
  if (home) await removeHome(home);
});

/** The real weights, with a context in their metadata that is too large for any memory. */
async function wideModel(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'tabd-wide-'));
  const path = join(folder, 'wide.gguf');
  try {
    const value = { type: 'uint32', value: 1_000_000 } as const;
    await rewriteGguf(await smollm2(), path, { 'llama.context_length': value });
    return new Uint8Array(await readFile(path));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const openApp = () => openAppTab(context, `http://localhost:${shim.ports.app}`);

/** Sends a request by plain `fetch` in the page, without waiting for the end: see `seen`. */
async function begin(tab: Page, id: string, path: string, body: object): Promise<void> {
  await tab.evaluate(
    ({ id, path, body }) => {
      const here = globalThis as unknown as Watching;
      here.seen ??= {};
      const seen: Seen = { status: 0, lines: [], over: false };
      here.seen[id] = seen;
      (async () => {
        const response = await fetch(path, { method: 'POST', body });
        seen.status = response.status;
        let rest = '';
        for await (const part of response.body!.pipeThrough(
          new TextDecoderStream(),
        ) as unknown as AsyncIterable<string>) {
          const lines = (rest + part).split('\n');
          rest = lines.pop()!;
          seen.lines.push(...lines.map((line) => JSON.parse(line) as Line));
        }
        if (rest) seen.lines.push(JSON.parse(rest) as Line);
      })()
        .catch((error: unknown) => {
          seen.broken = String(error);
        })
        .finally(() => {
          seen.over = true;
        });
    },
    { id, path, body: JSON.stringify(body) },
  );
}

const seen = (tab: Page, id: string) =>
  tab.evaluate((id) => (globalThis as unknown as Watching).seen[id]!, id);

async function end(tab: Page, id: string): Promise<Seen> {
  await expect.poll(async () => (await seen(tab, id)).over, { timeout: 120_000 }).toBe(true);
  return seen(tab, id);
}

/** Starts a long story. */
async function startStory(tab: Page, id: string): Promise<void> {
  await begin(tab, id, '/api/chat', { model, messages: [story], options: { num_predict: 2000 } });
  await expect.poll(async () => (await seen(tab, id)).lines.length).toBeGreaterThan(3);
}

async function ask(tab: Page, body: object): Promise<Line & { status: number }> {
  const id = `ask-${Math.random()}`;
  const usual = { model, options: { temperature: 0, num_predict: 16 }, stream: false };
  await begin(tab, id, '/api/chat', { ...usual, ...body });
  const { lines, status, broken } = await end(tab, id);
  if (broken) throw new Error(broken);
  return { ...lines[0], status } as Line & { status: number };
}
const paris = async (tab: Page) => (await ask(tab, { messages: [france] })).message?.content;

async function pull(tab: Page, file: string): Promise<Line[]> {
  const id = `pull-${Math.random()}`;
  await begin(tab, id, '/api/pull', { model: `${hub.cdn}/blobs/user/files/${file}.Q4_1.gguf` });
  return (await end(tab, id)).lines;
}
/** Names of the loaded models. The error for a missing answer lists what else the tab still answers. */
const running = (tab: Page) =>
  tab.evaluate(async () => {
    const get = (path: string) => fetch(path, { signal: AbortSignal.timeout(30_000) });
    try {
      return (await (await get('/api/ps')).json()).models.map((each: Named) => each.name);
    } catch (error) {
      const version = await get('/api/version').then(({ status }) => status, String);
      const { held = [], pending = [] } = await navigator.locks.query();
      const locks = JSON.stringify([held, pending].map((each) => each.map(({ name }) => name)));
      throw new Error(`/api/ps: ${error}; /api/version: ${version}; locks held and awaited: ${locks}`);
    }
  });
interface Named {
  name: string;
}

/** Ends all workers of a kind. A worker that has ended may still be listed, and never answers, so the wait is short. */
async function killWorker(tab: Page, kind: 'engine' | 'server'): Promise<void> {
  const workers = tab.workers().filter((each) => each.url().includes(`/${kind}.worker`));
  if (workers.length === 0)
    throw new Error(`there is no ${kind} worker among ${tab.workers().map((each) => each.url())}`);
  const ended = workers.map((each) => each.evaluate(() => self.close()).catch(() => {}));
  await Promise.race([Promise.all(ended), sleep(10_000)]);
}

test('after the engine worker is killed in mid-stream, the stream ends with an error, and the next request succeeds', async () => {
  await startStory(page, 'engine');
  await killWorker(page, 'engine');
  const { lines, broken } = await end(page, 'engine');
  expect(broken).toBeUndefined();
  expect(lines.at(-1)?.error).toContain(STOPPED);
  expect(await paris(page)).toBe(PARIS);
});

test('an engine worker killed between requests is noticed, and the next request is answered', async () => {
  await killWorker(page, 'engine');
  await expect.poll(() => running(page)).toEqual([]);
  expect(await paris(page)).toBe(PARIS);
});

test('after the server worker is killed in mid-stream, the reader gets an error, and nothing is lost', async () => {
  await startStory(page, 'server');
  await killWorker(page, 'server');
  const { broken } = await end(page, 'server');
  expect(broken).toBeTruthy();
  expect(await paris(page)).toBe(PARIS);
});

test('after the server worker is killed between requests, the next one is answered', async () => {
  await killWorker(page, 'server');
  expect(await paris(page)).toBe(PARIS);
});

test('two pulls and two chats run concurrently', async () => {
  hub.faults.slow = { delay: 5, piece: 100_000 };
  const [firstPull, secondPull, first, second] = await Promise.all([
    pull(page, 'one'),
    pull(page, 'two'),
    paris(page),
    paris(page),
  ]);
  delete hub.faults.slow;
  for (const lines of [firstPull, secondPull]) expect(lines.at(-1)).toEqual({ status: 'success' });
  expect([first, second]).toEqual([PARIS, PARIS]);
});

test('only the new part of a continued conversation is evaluated', async () => {
  const words = Array.from({ length: 30 }, (_, at) => `fact ${at}`).join(', ');
  const messages = [{ role: 'user', content: `Remember: ${words}. Say OK.` }];
  const options = { temperature: 0, num_predict: 4 };
  const cold = await ask(page, { messages, options });
  const more = [...messages, { role: 'assistant', ...cold.message }, france];
  const warm = await ask(page, { messages: more, options });
  expect(warm.prompt_eval_duration).toBeLessThan(0.5 * cold.prompt_eval_duration!);
});

test('models that cannot run are reported by name and reason, and a good model still answers', async () => {
  for (const file of ['strange', 'hollow']) {
    expect((await pull(page, file)).at(-1)).toEqual({ status: 'success' });
  }
  const strange = await ask(page, { model: 'strange:Q4_1', messages: [france] });
  expect(strange).toMatchObject({ status: 500, error: expect.stringMatching(/zzzzz.*; try another model$/) });
  const hollow = await ask(page, { model: 'hollow:Q4_1', messages: [france] });
  expect(hollow).toMatchObject({
    status: 500,
    error: expect.stringContaining('unable to load model "hollow:Q4_1": its file is damaged'),
  });
  expect(await paris(page)).toBe(PARIS);
});

test('a model that needs too much memory is reported, and a good model still answers', async () => {
  expect((await pull(page, 'wide')).at(-1)).toEqual({ status: 'success' });
  const wide = { model: 'wide:Q4_1', messages: [france], options: { num_ctx: 400_000 } };
  // The body contains the error even when the head was sent before.
  expect((await ask(page, wide)).error).toMatch(
    /^model "wide:Q4_1" requires more memory than is available .*use a smaller num_ctx, a smaller model, or unload/,
  );
  expect(await running(page)).not.toContain('wide:Q4_1');
  await page.evaluate(() =>
    fetch('/api/delete', { method: 'DELETE', body: JSON.stringify({ model: 'wide:Q4_1' }) }),
  );
  expect(await paris(page)).toBe(PARIS);
});

test('an interrupted pull continues at its byte, also in the next tab', async () => {
  await page.evaluate(() =>
    fetch('/api/delete', { method: 'DELETE', body: JSON.stringify({ model: 'one:Q4_1' }) }),
  );
  hub.faults.cut = { at: 0.4, times: 1 };
  hub.faults.status = { code: 503, times: 99, skip: 2 };
  expect((await pull(page, 'one')).at(-1)?.error).toMatch(/^max retries exceeded.*pull again to continue/);

  delete hub.faults.status;
  hub.requests.length = 0;
  const next = await openApp();
  await page.close();
  page = next;
  expect((await pull(page, 'one')).at(-1)).toEqual({ status: 'success' });
  const gets = hub.requests.filter(({ method }) => method === 'GET');
  const ranges = gets.map(({ headers }) => headers.range);
  expect(ranges).toEqual([`bytes=${Math.floor(0.4 * large.length)}-`]);
});

test('a missing hub and a missing file are reported', async () => {
  const refused = async (url: string) => {
    await begin(page, url, '/api/pull', { model: url });
    return (await end(page, url)).lines.at(-1)?.error;
  };
  expect(await refused('http://127.0.0.1:9/x.gguf')).toMatch(/^pull model manifest: /);
  expect(await refused(`${hub.cdn}/blobs/user/files/none.gguf`)).toContain('file does not exist');
});

test('when the leading tab closes, streams of others end with an error, and a pinned model is loaded again', async () => {
  await ask(page, { messages: [], keep_alive: -1 });
  const other = await openApp();
  await startStory(other, 'leader');
  await page.close();
  page = other;
  expect((await end(page, 'leader')).broken).toBeTruthy();
  await expect.poll(() => running(page)).toEqual([model]);
  expect(await paris(page)).toBe(PARIS);
});

test('after a hard reload in mid-stream the page answers again', async () => {
  await startStory(page, 'reload');
  const session = await context.newCDPSession(page);
  const loaded = page.waitForEvent('load');
  await session.send('Page.reload', { ignoreCache: true });
  await loaded;
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  expect(await paris(page)).toBe(PARIS);
});

test('a pull reports full storage, and succeeds after space is freed', async ({
  playwright,
  launchOptions,
}, info) => {
  // With a profile on disk: a private window keeps files in memory, without a quota.
  const profile = info.outputPath('profile');
  const stored = await playwright.chromium.launchPersistentContext(profile, launchOptions);
  try {
    const origin = `http://localhost:${shim.ports.app}`;
    const tab = await openAppTab(stored, origin);
    const session = await stored.newCDPSession(tab);
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: large.length });
    // Chromium hides its real quota from sites, so tabd cannot foresee that the storage will be full.
    expect((await pull(tab, 'one')).at(-1)?.error).toBe(
      'the storage of this site is full: delete models, or free disk space',
    );
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 10 * large.length });
    expect((await pull(tab, 'one')).at(-1)).toEqual({ status: 'success' });
  } finally {
    await stored.close();
  }
});

test('a window without service workers reports that, and the page works', async ({ browser }) => {
  const incognito = await browser.newContext();
  await incognito.addInitScript(() => {
    delete (Navigator.prototype as { serviceWorker?: unknown }).serviceWorker;
  });
  const window = await incognito.newPage();
  await window.goto(`http://localhost:${shim.ports.app}/`);
  await expect(window.getByRole('heading', { name: chatStrings.noModel })).toBeVisible();
  await expect(window.getByText(appStrings.server.noServiceWorker)).toBeVisible();
  await incognito.close();
});
