import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Server, ServerSocket } from '#core/http/routing/server.ts';
import { connectBridgeTab } from '#test/support/network/bridge-tab.ts';
import { openAppServer } from '../app-server/app-server.ts';
import type { PortListener } from '../ports/listener.ts';
import { openPort } from '../ports/open-ports.ts';
import { BRIDGE_PROTOCOL } from './pairing.ts';
import { BRIDGE_PATH, TabBridge } from './tab-bridge.ts';

const KEY = 'a-key-of-at-least-twenty-characters';
const encoder = new TextEncoder();

let bridge: TabBridge;
let app: PortListener;
let port: PortListener;
let origin: string;
const changes: boolean[] = [];
const sockets: WebSocket[] = [];

beforeEach(async () => {
  changes.length = 0;
  let state: TabBridge | undefined;
  app = await openAppServer({
    port: 0,
    folder: undefined,
    connect: (request, path) => (path === BRIDGE_PATH ? Promise.resolve(state!.accept(request)) : undefined),
  });
  origin = `http://localhost:${app.port}`;
  state = new TabBridge({ appOrigins: [origin], onChange: (connected) => changes.push(connected) });
  bridge = state;
  port = await openPort(bridge, 'local-models', { port: 0, appOrigin: origin });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await Promise.all([app, port].map((listener) => listener.close(AbortSignal.abort())));
  await bridge.close();
});

async function tab(server: Partial<Server>, secrets: string[], from = origin): Promise<WebSocket> {
  const socket = await connectBridgeTab({ port: app.port, origin: from, server, secrets });
  sockets.push(socket);
  return socket;
}
const firstTab = (server: Partial<Server>) => tab(server, [`token.${bridge.pairing.token}`, `key.${KEY}`]);

const url = (path: string) => `http://127.0.0.1:${port.port}${path}`;

describe('pairing', () => {
  it('admits the tab of the link once, and the same tab again', async () => {
    const { token } = bridge.pairing;
    expect(bridge.link).toBe(`${origin}/#/bridge?token=${token}`);
    const first = await tab({}, [`token.${token}`, `key.${KEY}`]);
    expect(first.protocol).toBe(BRIDGE_PROTOCOL);
    await expect(tab({}, [`token.${token}`, 'key.another-key-of-twenty-characters'])).rejects.toThrow(/403/);
    first.terminate();
    await expect.poll(() => bridge.connected).toBe(false);
    await tab({}, [`key.${KEY}`]);
    expect(await (await fetch(url('/api/version'))).text()).toBe('from the tab');
    expect(changes).toEqual([true, false, true]);
  });

  it.each([
    ['another origin', () => [`token.${bridge.pairing.token}`, `key.${KEY}`], 'https://evil.example'],
    ['a wrong token', () => ['token.AAAA', `key.${KEY}`], undefined],
    ['no secret at all', () => [], undefined],
    ['a short key', () => [`token.${bridge.pairing.token}`, 'key.x'], undefined],
  ])('refuses %s', async (_what, secrets, from) => {
    await expect(tab({}, secrets(), from ?? origin)).rejects.toThrow(/403/);
    expect(bridge.connected).toBe(false);
  });

  it('lets a newer tab replace the connected one', async () => {
    await firstTab({});
    await tab({ fetch: async () => new Response('from the second') }, [`key.${KEY}`]);
    await expect.poll(async () => (await fetch(url('/'))).text()).toBe('from the second');
  });
});

describe('requests', () => {
  it('fail without a tab, in the dialect of the path', async () => {
    const native = await fetch(url('/api/tags'));
    expect([native.status, native.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await native.json()).error).toContain(origin);
    const openai = await fetch(url('/v1/models'));
    expect((await openai.json()).error.code).toBe('server_unavailable');
  });

  it('reach the tab with method, path, headers, body and context; status, headers and body come back', async () => {
    await firstTab({
      fetch: async (request, context) =>
        Response.json(
          {
            method: request.method,
            url: request.url,
            custom: request.headers.get('x-custom'),
            host: request.headers.get('host'),
            body: await request.text(),
            listener: context.listener,
            clientAddress: context.clientAddress,
          },
          { status: 418, headers: { 'x-tabd-served-by': 'tab' } },
        ),
    });
    const response = await fetch(url('/api//Chat?a=1'), {
      method: 'POST',
      headers: { 'x-custom': '7' },
      body: 'hello',
    });
    expect([response.status, response.headers.get('x-tabd-served-by')]).toEqual([418, 'tab']);
    expect(await response.json()).toEqual({
      method: 'POST',
      url: url('/api//Chat?a=1'),
      custom: '7',
      host: `127.0.0.1:${port.port}`,
      body: 'hello',
      listener: 'local-models',
      clientAddress: '127.0.0.1',
    });
  });

  it('stream, and are aborted in the tab when the client disconnects', async () => {
    let stopped = (_reason: string) => {};
    const stop = new Promise<string>((resolve) => {
      stopped = resolve;
    });
    await firstTab({
      fetch: async (request) => {
        request.signal.addEventListener('abort', () => stopped('aborted'));
        return new Response(
          new ReadableStream({
            async pull(controller) {
              await new Promise((resolve) => setTimeout(resolve, 5));
              controller.enqueue(encoder.encode('token '));
            },
          }),
        );
      },
    });
    const leave = new AbortController();
    const response = await fetch(url('/'), { signal: leave.signal });
    await response.body!.getReader().read();
    leave.abort();
    expect(await stop).toBe('aborted');
  });

  it('are aborted in the tab when the client disconnects before the head', async () => {
    let onRequest = () => {};
    const work = new Promise<void>((resolve) => {
      onRequest = resolve;
    });
    let stopped = false;
    await firstTab({
      fetch: (request) => {
        onRequest();
        return new Promise((_, reject) =>
          request.signal.addEventListener('abort', () => {
            stopped = true;
            reject(request.signal.reason);
          }),
        );
      },
    });
    const leave = new AbortController();
    const answer = fetch(url('/'), { signal: leave.signal }).catch(() => {});
    await work;
    leave.abort();
    await answer;
    await expect.poll(() => stopped).toBe(true);
  });

  it('hold an upload back until the tab reads it', async () => {
    const size = 64 * 1024 * 1024;
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    await firstTab({
      fetch: async (request) => {
        const reader = request.body!.getReader();
        await slow;
        let taken = 0;
        for (let read = await reader.read(); !read.done; read = await reader.read())
          taken += read.value.length;
        return new Response(String(taken));
      },
    });
    const piece = Buffer.alloc(1024 * 1024);
    const upload = httpRequest({ port: port.port, method: 'POST', headers: { 'content-length': size } });
    const answered = once(upload, 'response');
    let sent = 0;
    const next = () => {
      while (sent < size) {
        sent += piece.length;
        if (!upload.write(piece)) return upload.once('drain', next);
      }
      return upload.end();
    };
    next();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sent).toBeLessThan(32 * 1024 * 1024);
    release();
    const [answer] = (await answered) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += chunk;
    expect(text).toBe(String(size));
  });

  it('fail when the tab disconnects, and get 503 until it is back', async () => {
    const socket = await firstTab({
      fetch: async () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(encoder.encode('half'));
            },
          }),
        ),
    });
    const response = await fetch(url('/'));
    const reader = response.body!.getReader();
    await reader.read();
    socket.terminate();
    await expect(reader.read()).rejects.toThrow(/terminated/);
    expect((await fetch(url('/'))).status).toBe(503);
    await tab({}, [`key.${KEY}`]);
    expect(await (await fetch(url('/'))).text()).toBe('from the tab');
  });
});

describe('WebSockets', () => {
  it('connect the client and the tab', async () => {
    let closed = (_code: number) => {};
    const closing = new Promise<number>((resolve) => {
      closed = resolve;
    });
    await firstTab({
      connect: async (request) => ({
        protocol: 'chat',
        start(socket: ServerSocket) {
          socket.send(new URL(request.url).search);
          socket.onMessage((data) => socket.send(data));
          socket.onClose((code) => closed(code));
        },
      }),
    });
    const client = new WebSocket(`ws://127.0.0.1:${port.port}/ws?clientId=1`, ['chat']);
    sockets.push(client);
    const messages: string[] = [];
    client.on('message', (data: Buffer, binary) => {
      messages.push(binary ? `bytes ${[...data]}` : data.toString());
    });
    await once(client, 'open');
    expect(client.protocol).toBe('chat');
    client.send('text');
    client.send(Buffer.from([1, 2]));
    await expect.poll(() => messages).toEqual(['?clientId=1', 'text', 'bytes 1,2']);
    client.close(4000, 'done');
    expect(await closing).toBe(4000);
  });

  it('are refused as the tab refuses them, and closed when it disconnects', async () => {
    const socket = await firstTab({
      connect: async (request) =>
        request.url.endsWith('/ws') ? { start() {} } : new Response('not here', { status: 404 }),
    });
    const refused = new WebSocket(`ws://127.0.0.1:${port.port}/other`);
    await expect(once(refused, 'open')).rejects.toThrow(/404/);
    const client = new WebSocket(`ws://127.0.0.1:${port.port}/ws`);
    await once(client, 'open');
    const gone = once(client, 'close');
    socket.terminate();
    await gone;
  });
});
