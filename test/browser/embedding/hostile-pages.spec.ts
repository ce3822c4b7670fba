/** Pages of another site attack the ports of this computer. Nothing changes there, and nothing is read. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, expect, type Page, test } from '@playwright/test';
import { chromiumLaunch } from '../../support/processes/chromium.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';

/** A name of another site. The browser resolves it to this computer, as after DNS rebinding. */
const HOSTILE = 'hostile.example';

let home: string;
let shim: RunningShim;
let hostile: Server;
let browser: Browser;
let page: Page;
/** The paths and origins of all requests that the hostile site itself received. */
const received: [path: string | undefined, origin: string | undefined][] = [];

test.beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'tabd-hostile-'));
  shim = await startShim(home);
  hostile = createServer((request, response) => {
    received.push([request.url, request.headers.origin]);
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>hostile</title><body></body>');
  });
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
  browser = await chromium.launch(await chromiumLaunch([`--host-resolver-rules=MAP ${HOSTILE} 127.0.0.1`]));
});
test.afterAll(async () => {
  await browser?.close();
  hostile?.close();
  await shim?.stop();
  rmSync(home, { recursive: true, force: true });
});
test.beforeEach(async () => {
  page = await browser.newPage();
  await page.goto(`http://${HOSTILE}:${(hostile.address() as AddressInfo).port}/`);
});
test.afterEach(() => page.close());

const own = (api: 'image-workflows' | 'local-models' | 'webhooks' | 'app', path: string) =>
  `http://127.0.0.1:${shim.ports[api]}${path}`;

/** Requests that change something and need no preflight. */
const changes = (): string[] => [
  own('image-workflows', '/prompt'),
  own('image-workflows', '/queue'),
  own('image-workflows', '/history'),
  own('image-workflows', '/free'),
  own('image-workflows', '/interrupt'),
  own('image-workflows', '/settings'),
  own('image-workflows', '/userdata/stolen.json'),
  own('image-workflows', '/upload/image'),
  own('local-models', '/api/generate'),
  own('local-models', '/api/pull'),
  own('webhooks', '/api/v1/workflows'),
  own('app', '/tabd/webhooks-key'),
];

/** The statuses that the browser received. Scripts of the page cannot see them. */
async function statusesOf(addresses: string[], attack: () => Promise<void>): Promise<number[]> {
  const statuses = new Map<string, number>();
  page.on('response', (response) => void statuses.set(response.url(), response.status()));
  await attack();
  await expect.poll(() => addresses.filter((address) => statuses.has(address)).length).toBe(addresses.length);
  return addresses.map((address) => statuses.get(address)!);
}

const post = `address => fetch(address, { method: 'POST', mode: 'no-cors', body: '{}' }).catch(() => {})`;

test('scripts cannot send requests that change something', async () => {
  const statuses = await statusesOf(changes(), () =>
    page.evaluate(`Promise.all(${JSON.stringify(changes())}.map(${post})).then(() => undefined)`),
  );
  expect(statuses).toEqual(changes().map(() => 403));
});

/** Opens a frame with an origin of `null`, and waits until it has loaded. */
async function openFrame(html: string): Promise<void> {
  await page.evaluate(
    (text) =>
      new Promise<void>((resolve) => {
        const frame = document.createElement('iframe');
        frame.setAttribute('sandbox', 'allow-scripts allow-forms');
        frame.onload = () => resolve();
        frame.srcdoc = text;
        document.body.append(frame);
      }),
    html,
  );
}

test('sandboxed frames, whose origin is null, change nothing', async () => {
  const control = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/script`;
  const attack = `const send = ${post};
    Promise.all(${JSON.stringify(changes())}.map(send)).then(() => send(${JSON.stringify(control)}))`;
  await openFrame(`<script>${attack}</script>`);
  // The control shows that all requests were sent.
  await expect.poll(() => received).toContainEqual(['/script', 'null']);
  expect((await fetch(own('image-workflows', '/userdata/stolen.json'))).status).toBe(404);
});

test('their forms change nothing either', async () => {
  const control = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/form`;
  for (const address of [own('image-workflows', '/userdata/form.json'), control]) {
    const form = `<form method="post" enctype="text/plain" action="${address}"><input name="{}"></form>`;
    await openFrame(`${form}<script>document.forms[0].submit()</script>`);
  }
  await expect.poll(() => received).toContainEqual(['/form', 'null']);
  expect((await fetch(own('image-workflows', '/userdata/form.json'))).status).toBe(404);
});

test('pages and frames cannot open a WebSocket', async () => {
  const socket = `ws://127.0.0.1:${shim.ports['image-workflows']}/ws`;
  const open = `new Promise(resolve => {
    const socket = new WebSocket(${JSON.stringify(socket)});
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  })`;
  expect(await page.evaluate(open)).toBe('refused');
  const fromFrame = page.evaluate(
    (script) =>
      new Promise((resolve) => {
        addEventListener('message', ({ data }) => resolve(data));
        const frame = document.createElement('iframe');
        frame.sandbox.add('allow-scripts');
        frame.srcdoc = `<script>${script}.then(data => parent.postMessage(data, '*'))</script>`;
        document.body.append(frame);
      }),
    open,
  );
  expect(await fromFrame).toBe('refused');
});

test('no API and no page answers under a name that another site points here', async () => {
  for (const [api, path] of [
    ['image-workflows', '/object_info'],
    ['local-models', '/api/tags'],
    ['webhooks', '/api/v1/workflows'],
    ['app', '/'],
  ] as const) {
    const address = `http://${HOSTILE}:${shim.ports[api]}${path}`;
    // A navigation to an empty response of status 403 fails.
    const [response] = await Promise.all([
      page.waitForResponse(address),
      page.goto(address).catch(() => undefined),
    ]);
    expect(response.status(), api).toBe(403);
  }
});

test('the page of the app cannot be framed', async () => {
  const address = `http://localhost:${shim.ports.app}/`;
  const [status] = await statusesOf([address], () =>
    page.evaluate((source) => {
      const frame = document.createElement('iframe');
      frame.src = source;
      document.body.append(frame);
    }, address),
  );
  expect(status).toBe(403);
});
