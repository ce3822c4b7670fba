/** Several browsers with separate profiles behind the port of one shim. */
import type { Browser, BrowserContext } from '@playwright/test';
import { expect } from '../support/fixtures.ts';
import { type Shim, test } from './shim-fixture.ts';

const MODEL = 'scripted:latest';
const CHATS = 30;

interface Line {
  n: number;
  server: string;
}

/** A chat whose answer never ends. */
interface Chat {
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
    expect(
      shim.bridge.describe().map(({ name, home }) => [name.replace(/ on.*?(?= \d|$)/, ''), home]),
    ).toEqual([
      ['Chrome', true],
      ['Chrome 2', false],
      ['Chrome 3', false],
    ]);
    const start = async () => {
      const started = await chat(shim, stop.signal);
      return { ...started, server: (await started.next()).server };
    };
    const chats = await Promise.all(Array.from({ length: CHATS }, start));
    const servers = [...new Set(chats.map(({ server }) => server))];
    expect(servers).toHaveLength(3);
    const counts = shim.bridge.describe().map(({ requests }) => requests);
    expect(counts.reduce((sum, count) => sum + count)).toBe(CHATS);
    console.log(`${CHATS} chats over three browsers: ${counts.join(', ')}`);

    const [, killed] = shim.bridge.describe();
    await profiles.get(killed!.id)!.close();
    await expect.poll(() => shim.bridge.describe()[1]?.state).toBe('away');
    const outcomes = await Promise.all(
      chats.map(async ({ server, next }) => {
        try {
          // The lines that had arrived before are followed by the end of the connection, or by new ones.
          for (let line = await next(); line.n < 30; ) line = await next();
          return { server, outcome: 'continues' };
        } catch {
          return { server, outcome: 'broken off' };
        }
      }),
    );
    const broken = outcomes.filter(({ outcome }) => outcome === 'broken off');
    expect(broken).toHaveLength(killed!.requests === 0 ? counts[1]! : killed!.requests);
    expect(new Set(broken.map(({ server }) => server)).size).toBe(1);

    const later = await Promise.all(Array.from({ length: 6 }, start));
    const left = servers.filter((server) => server !== broken[0]!.server);
    for (const { server } of later) expect(left).toContain(server);
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
    await page!.reload();
    await page!.evaluate(() => window.startTabd());
    // The stored key is tried with the start, long before the page has answered this.
    await page!.evaluate(async () => (await window.tabd.fetch('/api/version')).json());
    expect(shim.bridge.connected).toBe(false);
    await page!.evaluate((token) => window.tabd.bridge(token), shim.bridge.pairing.token);
    await expect.poll(() => shim.bridge.connected).toBe(true);
  } finally {
    await profile.close();
  }
});
