/** The cost of a tab that answers a port: time for a request and a token, compared with a port of Node. */
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { openAppServer } from '#shim/app-server/app-server.ts';
import { BRIDGE_PATH, TabBridge } from '#shim/bridge/tab-bridge.ts';
import { openPort } from '#shim/ports/open-ports.ts';
import buildSite from '#test/browser/site/build-site.mjs';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import type { Figure } from '../figure.ts';
import { median, percentile } from '../statistics.ts';

const REQUESTS = 300;
const TOKENS = 1000;
const STREAMS = 7;
const encoder = new TextEncoder();

export default async function* bridge(): AsyncIterable<Figure> {
  await buildSite();
  const browser = await chromium.launch(await chromiumLaunch());
  const appOrigins: string[] = [];
  const tabs = new TabBridge({ appOrigins });
  const app = await openAppServer({
    port: 0,
    folder: fileURLToPath(new URL('../../.cache/browser-site/old', import.meta.url)),
    connect: async (request, path) =>
      path === BRIDGE_PATH ? tabs.accept(request) : new Response(null, { status: 404 }),
  });
  appOrigins.push(`http://localhost:${app.port}`);
  const bridged = await openPort(tabs, 'local-models', { port: 0 });
  const direct = await openPort(
    {
      fetch: async (request) => scripted(request),
      connect: async () => new Response(),
      close: async () => {},
    },
    'local-models',
    { port: 0 },
  );
  try {
    const page = await browser.newPage();
    await page.goto(`${appOrigins[0]}/index.html`);
    await page.evaluate(async (token) => {
      await window.startTabd({});
      await window.tabd.bridge(token);
    }, tabs.pairing.token);
    while (!tabs.connected) await new Promise((resolve) => setTimeout(resolve, 20));
    const requests = { bridged: [] as number[], direct: [] as number[] };
    // Measures both ports alternately, so that other load affects both alike.
    for (let turn = -20; turn < REQUESTS; turn++) {
      const first = await requestTime(`http://127.0.0.1:${bridged.port}/api/version`);
      const second = await requestTime(`http://127.0.0.1:${direct.port}/api/version`);
      if (turn < 0) continue;
      requests.bridged.push(first);
      requests.direct.push(second);
    }
    yield { name: 'bridge: ms a request, median', value: median(requests.bridged) };
    yield { name: 'bridge: ms a request, p99', value: percentile(requests.bridged, 0.99) };
    yield { name: 'bridge: ms a request, port in Node', value: median(requests.direct) };
    yield {
      name: 'bridge: ms that a request costs more',
      value: median(requests.bridged) - median(requests.direct),
    };
    const tokens = { bridged: [] as number[], direct: [] as number[] };
    for (let turn = -1; turn < STREAMS; turn++) {
      const path = `/api/generate?lines=${TOKENS}`;
      const first = await requestTime(`http://127.0.0.1:${bridged.port}${path}`, 'POST');
      const second = await requestTime(`http://127.0.0.1:${direct.port}${path}`, 'POST');
      if (turn < 0) continue;
      tokens.bridged.push((first / TOKENS) * 1000);
      tokens.direct.push((second / TOKENS) * 1000);
    }
    yield { name: 'bridge: microseconds a token', value: median(tokens.bridged) };
    yield { name: 'bridge: microseconds a token, port in Node', value: median(tokens.direct) };
  } finally {
    await browser.close();
    await tabs.close();
    for (const listener of [app, bridged, direct]) await listener.close(AbortSignal.abort());
  }
}

/** The response of the tab's scripted server. */
function scripted(request: Request): Response {
  const url = new URL(request.url);
  if (url.pathname === '/api/version') return Response.json({ version: '0', server: 'node' });
  const lines = Number(url.searchParams.get('lines'));
  let n = 0;
  return new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        n++;
        controller.enqueue(encoder.encode(`${JSON.stringify({ n, text: 'x'.repeat(70) })}\n`));
        if (n > lines) controller.close();
      },
    }),
  );
}

async function requestTime(url: string, method = 'GET'): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { method });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return performance.now() - started;
}
