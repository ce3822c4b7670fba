/** Several tabs behind one port, over real sockets. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { ServerReport } from '#core/frames/server-report.ts';
import type { CallContext } from '#core/http/routing/server.ts';
import { connectBridgeTab } from '#test/support/network/bridge-tab.ts';
import { openAppServer } from '../app-server/app-server.ts';
import type { PortListener } from '../ports/listener.ts';
import { openPort } from '../ports/open-ports.ts';
import { TAB_HEADER } from './fleet/send-to-first.ts';
import { BRIDGE_PATH, TabBridge } from './tab-bridge.ts';

const MODEL = 'smollm2:135m';
const encoder = new TextEncoder();

interface FakeTab {
  name: string;
  socket: WebSocket;
  /** Paths of the requests that it has got. */
  paths: string[];
  report: ServerReport;
}

let bridge: TabBridge;
let app: PortListener;
let port: PortListener;
const tabs: FakeTab[] = [];

beforeEach(async () => {
  app = await openAppServer({
    port: 0,
    folder: undefined,
    connect: (request, path) => (path === BRIDGE_PATH ? Promise.resolve(bridge.accept(request)) : undefined),
  });
  bridge = new TabBridge({ appOrigins: [`http://localhost:${app.port}`] });
  port = await openPort(bridge, 'local-models', { port: 0 });
});
afterEach(async () => {
  for (const { socket } of tabs.splice(0)) socket.terminate();
  await Promise.all([app, port].map((listener) => listener.close(AbortSignal.abort())));
  await bridge.close();
});

type Handler = (request: Request, context: CallContext) => Promise<Response> | Response;

/** Pairs a browser by a link, and answers its requests. Default: with the path and the name of the tab. */
async function pair(name: string, handler?: Handler, report: ServerReport = {}): Promise<FakeTab> {
  const tab = {
    name,
    paths: [] as string[],
    report: { models: [MODEL], loaded: [MODEL], ...report },
  } as FakeTab;
  tab.socket = await connectBridgeTab({
    port: app.port,
    origin: bridge.origin,
    secrets: [`token.${bridge.pairing.token}`, `key.${keyOf(name)}`],
    report: () => tab.report,
    server: {
      async fetch(request, context) {
        const { pathname } = new URL(request.url);
        tab.paths.push(pathname);
        return handler ? handler(request, context) : Response.json({ path: pathname, tab: name });
      },
    },
  });
  tabs.push(tab);
  bridge.pairing.tabs.rename(bridge.pairing.tabs.list.at(-1)!.id, name);
  await reported(name);
  return tab;
}

const keyOf = (name: string) => `key-of-the-browser-called-${name}`;
const described = (name: string) => bridge.describe().find((tab) => tab.name === name)!;
const reported = (name: string) => expect.poll(() => described(name).models).toBeDefined();
const url = (path: string) => `http://127.0.0.1:${port.port}${path}`;
const post = (path: string, body: object = { model: MODEL }, init: RequestInit = {}) =>
  fetch(url(path), { method: 'POST', body: JSON.stringify(body), ...init });
const answeredBy = async (response: Response) => ((await response.json()) as { tab: string }).tab;

/** A response that never ends. */
function endless(signal: AbortSignal): Response {
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode('{"message":{}}\n'));
      signal.addEventListener('abort', () => controller.close());
    },
  });
  return new Response(stream);
}

describe('work', () => {
  it('spreads over the tabs by their queues', async () => {
    const busy: Handler = (request) => endless(request.signal);
    await pair('a', busy);
    await pair('b', busy);
    await pair('c', busy);
    const leave = new AbortController();
    const chats = await Promise.all(
      Array.from({ length: 30 }, () => post('/api/chat', { model: MODEL }, { signal: leave.signal })),
    );
    expect(tabs.map(({ paths }) => paths.length)).toEqual([10, 10, 10]);
    expect(new Set(chats.map(({ headers }) => headers.get(TAB_HEADER))).size).toBe(3);
    expect(bridge.describe().map(({ requests }) => requests)).toEqual([10, 10, 10]);
    leave.abort();
    await expect.poll(() => bridge.describe().map(({ requests }) => requests)).toEqual([0, 0, 0]);
  });

  it('goes to the tab that has the model, with the complete body', async () => {
    const echo: Handler = async (request) => Response.json({ tab: 'b', body: await request.text() });
    await pair('a');
    await pair('b', echo, { models: ['other:latest'], loaded: [] });
    const body = { messages: [{ role: 'user', content: 'x'.repeat(300_000) }], model: 'other:latest' };
    const answer = await (await post('/v1/chat/completions', body)).json();
    expect(answer).toEqual({ tab: 'b', body: JSON.stringify(body) });
  });

  it('goes to the home for a model that no tab has', async () => {
    await pair('a');
    await pair('b');
    expect(await answeredBy(await post('/api/chat', { model: 'absent' }))).toBe('a');
  });

  it('moves on from a tab that stops reacting before it has taken the request', async () => {
    const silent = await pair('a');
    await pair('b', undefined, { loaded: [] });
    // The socket stays open, as with a tab that sleeps.
    silent.socket.pause();
    expect(await answeredBy(await post('/api/chat'))).toBe('b');
    await expect.poll(() => described('a').state).toBe('silent');
    // With the first tab silent, its loaded model no longer counts.
    expect(await answeredBy(await post('/api/chat'))).toBe('b');
    silent.socket.resume();
    await expect.poll(() => described('a').state).toBe('connected');
    expect(silent.paths).not.toContain('/api/generate');
    expect(await answeredBy(await post('/api/generate'))).toBe('a');
  });

  it('ends with an error on a tab that dies, and continues on the others', async () => {
    const busy: Handler = (request) => endless(request.signal);
    const dying = await pair('a', busy);
    await pair('b', busy);
    const leave = new AbortController();
    const chats = await Promise.all([1, 2].map(() => post('/api/chat', undefined, { signal: leave.signal })));
    const readers = chats.map(({ body }) => body!.getReader());
    for (const reader of readers) await reader.read();
    const dead = chats.findIndex(({ headers }) => headers.get(TAB_HEADER) === described('a').id);
    dying.socket.terminate();
    await expect(readers[dead]!.read()).rejects.toThrow(/terminated/);
    const next = await post('/api/chat', undefined, { signal: leave.signal });
    expect(next.headers.get(TAB_HEADER)).toBe(described('b').id);
    expect(described('a')).toMatchObject({ state: 'away', requests: 0 });
    const other = readers[1 - dead]!.read();
    expect(await Promise.race([other, 'waits'])).toBe('waits');
    leave.abort();
    await other.catch(() => {});
  });
});

describe('state', () => {
  it('is that of the first tab, until another one is chosen', async () => {
    await pair('a');
    await pair('b');
    for (const path of ['/api/create', '/api/blobs/sha256:0']) {
      expect(await answeredBy(await post(path))).toBe('a');
    }
    bridge.pairing.tabs.chooseHome('b');
    expect(await answeredBy(await post('/api/create'))).toBe('b');
  });

  it('is not there while its tab is away; work continues', async () => {
    const home = await pair('a');
    await pair('b');
    home.socket.terminate();
    await expect.poll(() => described('a').state).toBe('away');
    const refused = await post('/api/create');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await refused.json()).error).toContain("browser 'a', which is not connected");
    expect(await answeredBy(await post('/api/chat'))).toBe('b');
    expect(await answeredBy(await fetch(url('/api/version')))).toBe('b');
  });
});

describe('lists', () => {
  const listOf =
    (name: string, models: string[]): Handler =>
    (request) =>
      request.url.endsWith('/v1/models')
        ? Response.json({ object: 'list', data: models.map((id) => ({ id })) })
        : Response.json({ models: models.map((model) => ({ name: model, of: name })) });

  it('are the union, with the tab of each loaded model', async () => {
    await pair('a', listOf('a', ['x', 'y']), { device: 'CPU', battery: { level: 0.5, charging: false } });
    await pair('b', listOf('b', ['y', 'z']));
    const tags = await (await fetch(url('/api/tags'))).json();
    expect(tags).toEqual({
      models: [
        { name: 'x', of: 'a' },
        { name: 'y', of: 'a' },
        { name: 'z', of: 'b' },
      ],
    });
    const openai = await (await fetch(url('/v1/models'))).json();
    expect(openai).toEqual({ object: 'list', data: [{ id: 'x' }, { id: 'y' }, { id: 'z' }] });
    const { models, tabs: listed } = await (await fetch(url('/api/ps'))).json();
    expect(models.map(({ name, tab }: { name: string; tab: string }) => `${name} in ${tab}`)).toEqual([
      'x in a',
      'y in a',
      'y in b',
      'z in b',
    ]);
    expect(listed).toMatchObject([
      {
        name: 'a',
        home: true,
        state: 'connected',
        device: 'CPU',
        battery: { level: 0.5, charging: false },
        models: [MODEL],
        loaded: [MODEL],
      },
      { name: 'b', home: false },
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/digest|token|key/i);
  });

  it('leave out a tab that answers nonsense, and pass on a refusal', async () => {
    let status = 200;
    await pair('a', () =>
      status === 200 ? Response.json({ models: [{ name: 'x' }] }) : new Response('no', { status }),
    );
    await pair('b', () => new Response('nonsense'));
    expect(await (await fetch(url('/api/tags'))).json()).toEqual({ models: [{ name: 'x' }] });
    status = 403;
    expect((await fetch(url('/api/tags'))).status).toBe(403);
  });

  it('of a single tab are its own', async () => {
    await pair('a', listOf('a', ['x']));
    const response = await fetch(url('/api/ps'));
    expect(await response.json()).toEqual({ models: [{ name: 'x', of: 'a' }] });
    expect(response.headers.has(TAB_HEADER)).toBe(false);
  });
});

describe('models', () => {
  it('are pulled by all tabs, once each', async () => {
    await pair('a');
    const other = await pair('b');
    expect(await answeredBy(await post('/api/pull', { model: 'x' }))).toBe('a');
    await expect.poll(() => other.paths).toEqual(['/api/pull']);
  });

  it('are deleted wherever they are', async () => {
    await pair('a', () => Response.json({ error: 'not found' }, { status: 404 }));
    await pair('b', () => new Response(null, { status: 200 }));
    const remove = () => fetch(url('/api/delete'), { method: 'DELETE', body: '{"model":"x"}' });
    expect((await remove()).status).toBe(200);
    expect(tabs.map(({ paths }) => paths)).toEqual([['/api/delete'], ['/api/delete']]);
  });

  it('are described by the home, or by the tab that has them', async () => {
    await pair('a');
    await pair('b', undefined, { models: [MODEL, 'other'] });
    expect(await answeredBy(await post('/api/show'))).toBe('a');
    expect(await answeredBy(await post('/api/show', { model: 'other' }))).toBe('b');
    expect(await answeredBy(await fetch(url('/v1/models/other')))).toBe('b');
  });
});

describe('a revoked tab', () => {
  it('is closed, and cannot come back with its key or its link', async () => {
    const { token } = bridge.pairing;
    const tab = await pair('a');
    await pair('b');
    const closed = new Promise((resolve) => tab.socket.once('close', resolve));
    bridge.revoke('a');
    await closed;
    const again = (secrets: string[]) =>
      connectBridgeTab({ port: app.port, origin: bridge.origin, server: {}, secrets });
    await expect(again([`key.${keyOf('a')}`])).rejects.toThrow(/403/);
    await expect(again([`key.${keyOf('a')}`, `token.${token}`])).rejects.toThrow(/403/);
    expect(bridge.describe().map(({ name, home }) => [name, home])).toEqual([['b', true]]);
    expect(await answeredBy(await post('/api/create'))).toBe('b');
  });
});

it('a tab cannot answer requests that another tab got', async () => {
  let answer = (_response: Response) => {};
  const waiting = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  await pair('a', () => waiting);
  const other = await pair('b', undefined, { models: [], loaded: [] });
  const response = post('/api/chat');
  await expect.poll(() => tabs[0]!.paths.length).toBe(1);
  for (let id = 0; id < 50; id++) {
    const fields = { type: 'head', id, status: 200, statusText: '', headers: [], body: false };
    const header = encoder.encode(JSON.stringify(fields));
    const frame = Buffer.alloc(4 + header.length);
    frame.writeUInt32BE(header.length);
    frame.set(header, 4);
    other.socket.send(frame);
  }
  // A later report shows that the frames have arrived.
  other.report = { device: 'later' };
  await expect.poll(() => described('b').device).toBe('later');
  answer(Response.json({ tab: 'a' }));
  expect(await answeredBy(await response)).toBe('a');
});
