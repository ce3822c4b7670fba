import { type BrowserContext, test as base, type CDPSession, expect, type Page } from '@playwright/test';
import { SiteServer } from './site-server.ts';

export { expect };

/** How a page sends requests: by plain `fetch` through the service worker, or over the direct port. */
export type Way = 'service worker' | 'direct port';

export const test = base.extend<{ site: SiteServer; open(path?: string, options?: object): Promise<Page> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's pattern
  site: async ({}, use) => {
    const site = new SiteServer();
    await site.listen();
    await use(site);
    await site.close();
  },
  open: async ({ context, site }, use) => {
    await use((path, options) => openTab(context, site, path, options));
  },
});

/** Opens a tab of the site in which tabd runs. */
export async function openTab(
  context: BrowserContext,
  site: SiteServer,
  path = '/index.html',
  options: object = {},
): Promise<Page> {
  const page = await context.newPage();
  await page.goto(site.origin + path);
  await page.evaluate((startOptions) => window.startTabd(startOptions), options);
  return page;
}

export interface Streamed {
  /** The number of the last line. */
  n: number;
  done: boolean;
  server: string | undefined;
  error: string | undefined;
  status: number;
}

/** Requests a stream of lines in the page. Resolves when the stream has ended, also after an error. */
export function stream(page: Page, way: Way, query: string, path = '/api/generate'): Promise<Streamed> {
  return page.evaluate(
    async ({ way, address }) => {
      const result = { n: 0, done: false, server: undefined, error: undefined, status: 0 } as Streamed;
      const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
      try {
        const response = await ask(address, { method: 'POST' });
        result.status = response.status;
        const decoder = new TextDecoder();
        let text = '';
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
          const parts = (text + decoder.decode(chunk, { stream: true })).split('\n');
          text = parts.pop() ?? '';
          for (const part of parts) Object.assign(result, JSON.parse(part));
          Object.assign(window, { lastStream: result });
        }
      } catch (cause) {
        result.error = String(cause);
      }
      return result;
    },
    { way, address: `${path}?${query}` },
  );
}

export async function fetchJson<T>(page: Page, way: Way, address: string, init?: RequestInit): Promise<T> {
  return page.evaluate(
    async ({ way, address, init }) => {
      const ask = way === 'direct port' ? window.tabd.fetch.bind(window.tabd) : fetch;
      return (await ask(address, init)).json();
    },
    { way, address, init },
  );
}

/** The log of the server worker, in order. */
export async function log(page: Page): Promise<string[]> {
  const { log } = await fetchJson<{ log: { what: string }[] }>(page, 'direct port', '/api/ps');
  return log.map(({ what }) => what);
}

export async function stopServiceWorkers(session: CDPSession): Promise<void> {
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
}

/** Waits until a stream in the page has printed some lines. */
export async function streaming(page: Page, lines = 3): Promise<void> {
  await page.waitForFunction(
    (minimum) => ((window as unknown as { lastStream?: Streamed }).lastStream?.n ?? 0) >= minimum,
    lines,
  );
}
