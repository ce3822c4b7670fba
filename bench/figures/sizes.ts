/** Gzipped sizes of the service worker, and of the first visit without an engine. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from '@playwright/test';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { openAppTab } from '#test/support/processes/tab.ts';
import type { Figure } from '../figure.ts';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const gzipped = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).length / 1000;

export default async function* sizes(): AsyncIterable<Figure> {
  yield {
    name: 'size: kB of the service worker (sw.js)',
    value: gzipped(readFileSync(`${dist}sw.js`)),
    aim: '<= 10',
  };
  yield {
    name: "size: kB of the app's service worker",
    value: gzipped(readFileSync(`${dist}app/sw.js`)),
    aim: '<= 10',
  };
  const home = await makeHome([]);
  const shim = await startShim(home);
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const origin = `http://localhost:${shim.ports.app}`;
    const context = await browser.newContext();
    // Requests of the page and its workers, without the files that the service worker stores for offline use.
    const loaded = new Map<string, number>();
    const reading: Promise<void>[] = [];
    context.on('response', (response) => {
      if (response.request().serviceWorker() || !response.url().startsWith(origin)) return;
      reading.push(
        response
          .body()
          .then((body) => void loaded.set(response.url(), gzipped(body)))
          .catch(() => {}),
      );
    });
    const page = await openAppTab(context, origin);
    await page.waitForLoadState('load');
    await Promise.all(reading);
    const total = [...loaded.values()].reduce((sum, size) => sum + size, 0);
    if (loaded.size < 3) throw new Error(`only ${[...loaded.keys()].join(', ')} were seen`);
    for (const [url, size] of loaded) console.error(`  ${size.toFixed(1)} kB ${url.slice(origin.length)}`);
    yield { name: 'size: kB of the first load of the page', value: total, aim: '<= 150' };
  } finally {
    await browser.close();
    await shim.stop();
    await removeHome(home);
  }
}
