/** The error of a workflow in a tab when the browser blocks its request. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test } from '@playwright/test';
import { build } from 'esbuild';

let site: Server;
let other: Server;
let page: Page;
const port = (server: Server) => (server.address() as AddressInfo).port;

test.beforeAll(async ({ browser }) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { guardNetwork } from './core/webhooks/outgoing/guarded-network.ts';
        const host = { capabilities: { enforcesCors: true }, network: { fetch: (url, init) => fetch(url, init) } };
        self.outside = guardNetwork(host, { allowPrivate: true, isOwnPort: () => false });`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    format: 'iife',
  });
  site = createServer((_, answer) => {
    const isolated = {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'credentialless',
    };
    answer.writeHead(200, { 'content-type': 'text/html', ...isolated });
    answer.end(`<!doctype html><script>${outputFiles[0]!.text}</script>`);
  }).listen(0);
  other = createServer(({ url }, answer) => {
    if (url === '/open') answer.setHeader('access-control-allow-origin', '*');
    answer.end('hi');
  }).listen(0);
  page = await browser.newPage();
  await page.goto(`http://localhost:${port(site)}/`);
});

test.afterAll(() => {
  for (const server of [site, other]) server.close().closeAllConnections();
});

const request = (url: string, init: RequestInit = {}) =>
  page.evaluate(
    async ([address, options]) => {
      // biome-ignore lint/suspicious/noExplicitAny: put there by the bundle
      const network = (self as any).outside;
      try {
        return await (await network.fetch(address, options)).text();
      } catch (error) {
        const { message, description } = error as Error & { description: string };
        return `${message}. ${description}`;
      }
    },
    [url, init] as const,
  );

test('the error of a blocked request names the alternatives', async () => {
  const address = `127.0.0.1:${port(other)}`;
  expect(await request(`http://${address}/open`)).toBe('hi');
  const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  for (const init of [{}, json]) {
    const error = await request(`http://${address}/closed`, init);
    expect(error).toContain(
      `${address} answers, but the browser does not let this page read the answer (CORS)`,
    );
    expect(error).toContain('Access-Control-Allow-Origin');
    expect(error).toContain('tabd shim');
  }
  expect(await request('http://127.0.0.1:9/')).toContain('127.0.0.1:9 could not be reached from this page');
});
