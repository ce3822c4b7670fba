/** The cost of the service worker: latency compared with a local port, time for a chunk, megabytes a second. */
import { chromium, type Page } from '@playwright/test';
import buildSite from '#test/browser/site/build-site.mjs';
import { SiteServer } from '#test/browser/support/site-server.ts';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { openAppTab } from '#test/support/processes/tab.ts';
import type { Figure } from '../figure.ts';
import { median, percentile } from '../statistics.ts';

const REQUESTS = 400;
const CHUNKS = 1000;
const MB = 1024 * 1024;

export default async function* relay(): AsyncIterable<Figure> {
  const browser = await chromium.launch(await chromiumLaunch());
  const home = await makeHome([]);
  const shim = await startShim(home);
  try {
    const page = await openAppTab(browser, `http://localhost:${shim.ports.app}`);
    const { worker, port } = await latencies(page, `http://localhost:${shim.ports['local-models']}`);
    yield { name: 'relay: ms for /api/version, service worker, median', value: median(worker) };
    yield { name: 'relay: ms for /api/version, service worker, p99', value: percentile(worker, 0.99) };
    yield { name: 'relay: ms for /api/version, local port, median', value: median(port) };
    yield { name: 'relay: ms for /api/version, local port, p99', value: percentile(port, 0.99) };
    yield {
      name: 'relay: service worker against local port',
      value: median(worker) / median(port),
      aim: '<= 2',
    };
    await page.context().close();

    await buildSite();
    const site = new SiteServer();
    await site.listen();
    try {
      const tab = await browser.newPage();
      await tab.goto(`${site.origin}/index.html`);
      await tab.evaluate(() => window.startTabd({}));
      const chunks = await rounds(5, () => milliseconds(tab, `/api/generate?lines=${CHUNKS}`, 'POST'));
      yield { name: 'relay: microseconds a chunk of 100 bytes', value: (median(chunks) / CHUNKS) * 1000 };
      for (const piece of [16 * 1024, MB]) {
        const times = await rounds(5, () =>
          milliseconds(tab, `/view?size=${100 * MB}&piece=${piece}`, 'GET'),
        );
        yield {
          name: `relay: MB/s down in pieces of ${piece / 1024} kB`,
          value: (100 * MB) / 1e3 / median(times),
        };
      }
      const up = await rounds(5, () => upload(tab, 100 * MB));
      yield { name: 'relay: MB/s up', value: (100 * MB) / 1e3 / median(up) };
    } finally {
      await site.close();
    }
  } finally {
    await browser.close();
    await shim.stop();
    await removeHome(home);
  }
}

/** Measures both ways alternately, so that other load affects both alike. */
async function latencies(page: Page, port: string): Promise<{ worker: number[]; port: number[] }> {
  // The TypeScript loader calls this helper, also in functions that are sent to the page.
  await page.evaluate('globalThis.__name = (named) => named');
  return page.evaluate(
    async ({ port, count }) => {
      const measured = { worker: [] as number[], port: [] as number[] };
      const time = async (url: string) => {
        const started = performance.now();
        const response = await fetch(url, { cache: 'no-store' });
        await response.text();
        if (!response.ok) throw new Error(`${url}: ${response.status}`);
        return performance.now() - started;
      };
      for (let turn = -20; turn < count; turn++) {
        const worker = await time('/api/version');
        const direct = await time(`${port}/api/version`);
        if (turn < 0) continue;
        measured.worker.push(worker);
        measured.port.push(direct);
      }
      return measured;
    },
    { port, count: REQUESTS },
  );
}

async function rounds(count: number, measure: () => Promise<number>): Promise<number[]> {
  await measure();
  const times: number[] = [];
  for (let round = 0; round < count; round++) times.push(await measure());
  return times;
}

/** Milliseconds until the entire response was read. */
function milliseconds(page: Page, url: string, method: string): Promise<number> {
  return page.evaluate(
    async ({ url, method }) => {
      const started = performance.now();
      const response = await fetch(url, { method });
      const reader = response.body!.getReader();
      while (!(await reader.read()).done);
      return performance.now() - started;
    },
    { url, method },
  );
}

function upload(page: Page, size: number): Promise<number> {
  return page.evaluate(async (size) => {
    const body = new Blob([new Uint8Array(size)]);
    const started = performance.now();
    const response = await fetch('/api/blobs/sha256:0', { method: 'POST', body });
    const { bytes } = (await response.json()) as { bytes: number };
    if (bytes !== size) throw new Error(`${bytes} of ${size} bytes arrived`);
    return performance.now() - started;
  }, size);
}
