/** The ports of a shim, answered by a tab: the same frames over a WebSocket. */
import WebSocket from 'ws';
import { BRIDGE_PATH } from '#shim/bridge/tab-bridge.ts';
import { expect, log } from '../support/fixtures.ts';
import { bridged, type Shim, test } from './shim-fixture.ts';

const MB = 1024 * 1024;

const served = (shim: Shim) => async () => {
  const response = await fetch(`${shim.port('local-models')}/api/version`);
  return ((await response.json()) as { server?: string }).server ?? `status ${response.status}`;
};

test('plain answers and streams come from the tab, with the call context of the port', async ({ shim }) => {
  await bridged(shim);
  const echo = await fetch(`${shim.port('webhooks')}/api/show?a=1`, { method: 'POST', body: 'text' });
  const heard = (await echo.json()) as { context: object };
  expect(heard).toMatchObject({
    method: 'POST',
    text: 'text',
    context: { listener: 'webhooks', loopback: true, clientAddress: '127.0.0.1' },
    headers: { host: new URL(shim.port('webhooks')).host },
  });
  // The server must not treat callers of the port as pages of the tab.
  expect(heard.context).not.toHaveProperty('caller');
  const stream = await fetch(`${shim.port('local-models')}/api/generate?lines=200&interval=1`, {
    method: 'POST',
  });
  const lines = (await stream.text()).trim().split('\n');
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ n: 201, done: true });
});

test('200 MB upload and download', async ({ shim }) => {
  await bridged(shim);
  let started = performance.now();
  const speed = () => Math.round((200 * MB) / 1000 / (performance.now() - started));
  const down = await fetch(`${shim.port('image-workflows')}/view?size=${200 * MB}`);
  let bytes = 0;
  for await (const chunk of down.body!) bytes += chunk.length;
  const downSpeed = speed();
  expect(bytes).toBe(200 * MB);
  started = performance.now();
  const up = await fetch(`${shim.port('local-models')}/api/blobs/sha256:0`, {
    method: 'POST',
    body: new Blob(Array(200).fill(new Uint8Array(MB))),
  });
  expect(await up.json()).toEqual({ bytes: 200 * MB });
  console.log(`bridge, 200 MiB: down ${downSpeed} MB/s, up ${speed()} MB/s`);
});

test("a client's disconnect stops the work in the tab, before the head and in mid-stream", async ({
  shim,
}) => {
  const page = await bridged(shim);
  const early = new AbortController();
  const waiting = fetch(`${shim.port('local-models')}/api/chat?id=early&delay=60000`, {
    method: 'POST',
    signal: early.signal,
  });
  await expect.poll(() => log(page)).toContain('early begun');
  early.abort();
  await expect(waiting).rejects.toThrow();
  await expect.poll(() => log(page)).toContain('early aborted');

  const late = new AbortController();
  const stream = await fetch(`${shim.port('local-models')}/api/generate?id=late&lines=100000&interval=5`, {
    method: 'POST',
    signal: late.signal,
  });
  await stream.body!.getReader().read();
  late.abort();
  await expect.poll(() => log(page)).toContain('late cancelled');
});

test('a /ws conversation', async ({ shim }) => {
  await bridged(shim);
  const socket = new WebSocket(`${shim.port('image-workflows').replace('http', 'ws')}/ws?clientId=me`);
  const got: string[] = [];
  socket.on('message', (data, binary) => {
    got.push(binary ? `${[...(data as Buffer)]}` : String(data));
    if (got.length === 1) {
      socket.send('text');
      socket.send(new Uint8Array([1, 2, 3]));
    }
    if (got.length === 3) socket.send('close');
  });
  const [code] = await new Promise<[number]>((resolve) =>
    socket.on('close', (...args) => resolve([args[0]])),
  );
  expect(JSON.parse(got[0]!)).toMatchObject({ hello: 'me' });
  expect(got.slice(1)).toEqual(['text', '1,2,3']);
  expect(code).toBe(4001);
});

test('without a tab the answer is 503 in the format of each API; a page of another origin cannot connect', async ({
  shim,
  site,
  context,
}) => {
  const answer = await fetch(`${shim.port('local-models')}/v1/models`);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  const stranger = await context.newPage();
  await stranger.goto(`${site.origin}/plain.html`);
  const opened = await stranger.evaluate(
    ({ url, token }) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url, ['tabd.bridge.1', `key.${'0'.repeat(32)}`, `token.${token}`]);
        socket.onopen = () => resolve(true);
        socket.onerror = () => resolve(false);
      }),
    { url: `${shim.origin.replace('http', 'ws')}${BRIDGE_PATH}`, token: shim.bridge.pairing.token },
  );
  expect(opened).toBe(false);
  expect(shim.bridge.connected).toBe(false);
});

test('when the leading tab closes in mid-stream, the client gets an error, and another tab takes the ports', async ({
  shim,
}) => {
  const first = await bridged(shim);
  await shim.tab();
  const before = await served(shim)();
  const stream = await fetch(`${shim.port('local-models')}/api/generate?lines=100000&interval=10`, {
    method: 'POST',
  });
  const reader = stream.body!.getReader();
  await reader.read();
  await first.close();
  await expect(
    (async () => {
      while (!(await reader.read()).done);
    })(),
  ).rejects.toThrow();
  await expect.poll(served(shim), { timeout: 10_000 }).toMatch(/^server-/);
  expect(await served(shim)()).not.toBe(before);
});

test('the tab reconnects a broken connection without the link', async ({ shim }) => {
  await bridged(shim);
  const before = await served(shim)();
  shim.bridge.drop('the connection broke');
  expect(await served(shim)()).toBe('status 503');
  await expect.poll(served(shim), { timeout: 10_000 }).toBe(before);
});

test('after it is switched off in the tab, nothing answers the ports', async ({ shim }) => {
  const page = await bridged(shim);
  await page.evaluate(() => window.tabd.bridge(undefined));
  await expect.poll(served(shim)).toBe('status 503');
});
