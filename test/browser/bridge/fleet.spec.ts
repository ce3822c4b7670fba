/** Several browsers with separate profiles behind the port of one shim. */
import type { Browser, BrowserContext } from '@playwright/test';
import { expect } from '../support/fixtures.ts';
import { type Shim, test } from './shim-fixture.ts';

const MODEL = 'scripted:latest';
const CHATS = 30;

interface Line {
  /** Its number, from 1. */
  n: number;
}

/** Milliseconds between two lines of an answer, at least. */
const INTERVAL = 50;

/** A chat whose answer never ends. */
interface Chat {
  /** The id of the browser that answers. */
  tab: string;
  /** The next line. Rejects when the answer breaks off. */
  next(): Promise<Line>;
}

async function chat(shim: Shim, signal: AbortSignal): Promise<Chat> {
  const response = await fetch(`${shim.port('local-models')}/api/chat`, {
    method: 'POST',
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], model: MODEL }),
    signal,
  });
  expect(response.status).toBe(200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    tab: response.headers.get('x-tabd-tab') ?? '',
    async next() {
      while (!text.includes('\n')) {
        const { done, value } = await reader.read();
        if (done) throw new Error('the answer has ended');
        text += value;
      }
      const line = text.slice(0, text.indexOf('\n'));
      text = text.slice(line.length + 1);
      return JSON.parse(line) as Line;
    },
  };
}

/** Reads an answer up to a line. `broken off` if the connection ends before. */
async function follow({ next }: Chat, lineNumber: number): Promise<'continues' | 'broken off'> {
  try {
    while ((await next()).n < lineNumber);
    return 'continues';
  } catch {
    return 'broken off';
  }
}

/** Opens the page in a new profile, and pairs it by a link. */
async function pairedBrowser(browser: Browser, shim: Shim): Promise<BrowserContext> {
  const profile = await browser.newContext();
  const page = await profile.newPage();
  await page.goto(`${shim.origin}/index.html`);
  await page.evaluate(() => window.startTabd());
  const before = shim.bridge.describe().length;
  await page.evaluate((token) => window.tabd.bridge(token), shim.bridge.pairing.token);
  await expect.poll(() => shim.bridge.describe()[before]?.models).toEqual([MODEL]);
  return profile;
}

test('30 chats spread over three browsers; one is killed in the middle, and the two others continue', async ({
  browser,
  shim,
}) => {
  const stop = new AbortController();
  const profiles = new Map<string, BrowserContext>();
  try {
    for (let number = 0; number < 3; number++) {
      const profile = await pairedBrowser(browser, shim);
      profiles.set(shim.bridge.describe().at(-1)!.id, profile);
    }
    const [first, killed, last] = shim.bridge.describe();
    expect([first!.home, killed!.home, last!.home]).toEqual([true, false, false]);
    const startedAt = Date.now();
    const start = () => chat(shim, stop.signal);
    const chats = await Promise.all(Array.from({ length: CHATS }, start));
    for (const { next } of chats) await next();
    const counts = [first!, killed!, last!].map(({ id }) => chats.filter(({ tab }) => tab === id).length);
    console.log(`${CHATS} chats over three browsers: ${counts.join(', ')}`);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(shim.bridge.describe().map(({ requests }) => requests)).toEqual(counts);

    await profiles.get(killed!.id)!.close();
    await expect.poll(() => shim.bridge.describe()[1]?.state).toBe('away');
    // No answer can have come so far by now.
    const lineNumber = (Date.now() - startedAt) / INTERVAL + 10;
    const outcomes = await Promise.all(chats.map((each) => follow(each, lineNumber)));
    const expected = chats.map(({ tab }) => (tab === killed!.id ? 'broken off' : 'continues'));
    expect(outcomes).toEqual(expected);

    const later = await Promise.all(Array.from({ length: 6 }, start));
    for (const { tab } of later) expect([first!.id, last!.id]).toContain(tab);
  } finally {
    stop.abort();
    for (const profile of profiles.values()) await profile.close();
  }
});

test('a revoked browser is disconnected, and stays so without a new link', async ({ browser, shim }) => {
  const profile = await pairedBrowser(browser, shim);
  try {
    const [tab] = shim.bridge.describe();
    shim.bridge.revoke(tab!.id);
    await expect.poll(() => shim.bridge.connected).toBe(false);
    const [page] = profile.pages();
    let refusals = 0;
    const accept = shim.bridge.accept.bind(shim.bridge);
    shim.bridge.accept = (request) => {
      const result = accept(request);
      if (result instanceof Response) refusals += 1;
      return result;
    };
    await page!.reload();
    await page!.evaluate(() => window.startTabd());
    // The page tries its stored key with the start, and is refused.
    await expect.poll(() => refusals).toBeGreaterThan(0);
    expect(shim.bridge.connected).toBe(false);
    await page!.evaluate((token) => window.tabd.bridge(token), shim.bridge.pairing.token);
    await expect.poll(() => shim.bridge.connected).toBe(true);
  } finally {
    await profile.close();
  }
});
