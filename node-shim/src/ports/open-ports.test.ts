import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { type AddressInfo, connect as netConnect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CallContext, Server, ServerSocket, WebSocketSession } from '../../../core/server-types.ts';
import { PortTaken } from './bind.ts';
import type { Listener } from './listener.ts';
import { openPort, type PortOptions } from './open-ports.ts';
import { describeOwner } from './port-owner.ts';

type Answer = (request: Request, context: CallContext) => Response | Promise<Response>;
type Connect = (request: Request, context: CallContext) => WebSocketSession | Response;

const open: Listener[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(open.splice(0).map((listener) => listener.close(AbortSignal.abort())));
});

async function start(
  answer: Answer,
  options: Partial<PortOptions> = {},
  connect?: Connect,
): Promise<Listener> {
  const server: Server = {
    fetch: async (request, context) => answer(request, context),
    connect: async (request, context) => connect?.(request, context) ?? new Response('no', { status: 403 }),
    close: async () => {},
  };
  const listener = await openPort(server, 'local-models', { port: 0, ...options });
  open.push(listener);
  return listener;
}

/** One request with exactly these headers and this target. */
function raw(
  port: number,
  options: RequestOptions,
  body?: string | Buffer,
): Promise<[IncomingMessage, string]> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, agent: false, ...options }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => resolve([incoming, Buffer.concat(chunks).toString()]));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** What curl prints, body and head. */
async function curl(...parameters: string[]): Promise<{ output: string; code: number | null }> {
  const child = spawn('curl', ['-sS', ...parameters]);
  children.push(child);
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { output, code };
}

const encoder = new TextEncoder();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('requests', () => {
  it.each(['/api/version', '//api//version', '/API/Version?a=B&c=%2F', '/a%2Fb/c;d'])(
    'keeps the target %s',
    async (path) => {
      const { port } = await start((request) => new Response(request.url));
      const [, url] = await raw(port, { path });
      expect(url).toBe(`http://127.0.0.1:${port}${path}`);
    },
  );

  it('does not read a backslash or a hash in a target as syntax', async () => {
    const { port } = await start((request) => new Response(request.url));
    const socket = netConnect(port, '127.0.0.1');
    socket.write('GET /a\\b#c?d=\\#e HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString()).toMatch(/http:\/\/a\/a%5Cb%23c\?d=\\%23e$/);
  });

  it.each(['evil.example', 'ev il', 'a@b', '', 'localhost:99999', '[::1]:80'])(
    'gives the core the Host %j as sent',
    async (host) => {
      const { port } = await start((request) => new Response(JSON.stringify(request.headers.get('host'))));
      const [incoming, text] = await raw(port, { path: '/', headers: { host }, setHost: false });
      expect(incoming.statusCode).toBe(200);
      expect(JSON.parse(text)).toBe(host);
    },
  );

  it.each(['TRACE', 'PROPFIND', 'PURGE', 'OPTIONS'])('passes %s on', async (method) => {
    const { port } = await start((request) => new Response(request.method));
    expect((await raw(port, { method, path: '/' }))[1]).toBe(method);
  });

  it('tells the core where the call came in', async () => {
    const { port } = await start((_request, context) => Response.json(context), {
      appOrigin: 'http://localhost:4180',
    });
    const [, text] = await raw(port, { path: '/api' });
    expect(JSON.parse(text)).toEqual({
      listener: 'local-models',
      loopback: true,
      clientAddress: '127.0.0.1',
      appOrigins: ['http://localhost:4180'],
    });
  });

  it('is reached on both loopback addresses', async () => {
    const { port } = await start((_request, context) => new Response(context.clientAddress));
    expect((await raw(port, { host: '::1' }))[1]).toBe('::1');
    expect((await raw(port, {}))[1]).toBe('127.0.0.1');
  });

  it('serves a client that offers h2c, with its body', async () => {
    const { port } = await start(
      async (request) => new Response(`${request.method} ${await request.text()}`),
    );
    const { output } = await curl('--http2', '-d', 'hello', `http://127.0.0.1:${port}/x`);
    expect(output).toBe('POST hello');
  });

  it('asks for the body of an expecting client only when it is wanted', async () => {
    const { port } = await start(async (request) =>
      request.url.endsWith('/read')
        ? new Response(await request.text())
        : new Response('no', { status: 413 }),
    );
    const expecting = ['-i', '-H', 'Expect: 100-continue', '-d', 'hello'];
    const read = await curl(...expecting, `http://127.0.0.1:${port}/read`);
    expect(read.output).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK[\s\S]*hello$/);
    const refused = await curl(...expecting, `http://127.0.0.1:${port}/refuse`);
    expect(refused.output).toMatch(/^HTTP\/1.1 413 /);
  });
});

describe('answers', () => {
  it('tells the length of a whole body and chunks a stream', async () => {
    const { port } = await start((request) =>
      request.url.endsWith('/whole')
        ? Response.json({ a: 1 })
        : new Response(
            new ReadableStream({
              async start(controller) {
                for (const line of ['{"a":1}\n', '{"a":2}\n']) controller.enqueue(encoder.encode(line));
                controller.close();
              },
            }),
          ),
    );
    const [whole] = await raw(port, { path: '/whole' });
    expect(whole.headers['content-length']).toBe('7');
    const [stream, text] = await raw(port, { path: '/stream' });
    expect(stream.headers['transfer-encoding']).toBe('chunked');
    expect(text).toBe('{"a":1}\n{"a":2}\n');
  });

  it('spells header names as servers do and keeps several cookies apart', async () => {
    const { port } = await start(() => {
      const headers = new Headers({ 'x-tabd-version': '1' });
      headers.append('set-cookie', 'a=1');
      headers.append('set-cookie', 'b=2');
      return new Response('x', { status: 418, headers });
    });
    const [incoming] = await raw(port, {});
    expect(incoming.statusCode).toBe(418);
    expect(incoming.rawHeaders).toContain('X-Tabd-Version');
    expect(incoming.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  it('answers HEAD with the head of the answer alone', async () => {
    let cancelled = false;
    const { port } = await start((request) =>
      request.url.endsWith('/stream')
        ? new Response(
            new ReadableStream({
              cancel() {
                cancelled = true;
              },
            }),
          )
        : new Response('Ollama is running'),
    );
    const [incoming, text] = await raw(port, { method: 'HEAD', path: '/' });
    expect([incoming.headers['content-length'], text]).toEqual(['17', '']);
    await raw(port, { method: 'HEAD', path: '/stream' });
    expect(cancelled).toBe(true);
  });

  it('gives the head before the first byte of the body', async () => {
    const { port } = await start(() => new Response(new ReadableStream({})));
    const outgoing = httpRequest({ host: '127.0.0.1', port }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(incoming.statusCode).toBe(200);
    outgoing.destroy();
  });

  it('breaks off when the body fails, so that the client does not take it for whole', async () => {
    const { port } = await start(
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              controller.enqueue(encoder.encode('half'));
              await new Promise((resolve) => setTimeout(resolve, 20));
              controller.error(new Error('engine lost'));
            },
          }),
        ),
    );
    const { output, code } = await curl(`http://127.0.0.1:${port}/`);
    expect(output).toContain('half');
    expect(output).not.toContain('engine lost');
    expect(code).toBe(18);
  });
});

describe('a client that leaves', () => {
  it('aborts the request before the first byte, also after a collection of garbage', async () => {
    let started = () => {};
    const running = new Promise<void>((resolve) => (started = resolve));
    let aborted = (_at: number) => {};
    const abort = new Promise<number>((resolve) => (aborted = resolve));
    const { port } = await start(async ({ signal }) => {
      signal.addEventListener('abort', () => aborted(performance.now()));
      started();
      return new Promise<Response>(() => {});
    });
    const child = spawn('curl', ['-s', '-d', '{}', `http://127.0.0.1:${port}/api/chat`]);
    await running;
    collectGarbage();
    const killed = performance.now();
    child.kill('SIGKILL');
    expect((await abort) - killed).toBeLessThan(500);
  });

  it('cancels the body and aborts the request in mid-stream', async () => {
    let left = (_reason: string) => {};
    const cancelled = new Promise<string>((resolve) => (left = resolve));
    let signal: AbortSignal | undefined;
    const { port } = await start((request) => {
      signal = request.signal;
      return new Response(
        new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, 10));
            controller.enqueue(encoder.encode('token '));
          },
          cancel: (reason) => left(String(reason)),
        }),
      );
    });
    const child = spawn('curl', ['-sN', `http://127.0.0.1:${port}/`]);
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    expect(await cancelled).toContain('left');
    expect(signal?.aborted).toBe(true);
  });

  it('fails the body of an upload that breaks off', async () => {
    let failed = (_message: string) => {};
    const failure = new Promise<string>((resolve) => (failed = resolve));
    const { port } = await start(async (request) => {
      await request.arrayBuffer().catch((error: Error) => failed(error.message));
      return new Response('late');
    });
    const socket = netConnect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nsome');
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.destroy();
    expect(await failure).toBeTruthy();
  });
});

describe('large bodies', () => {
  const SIZE = 200 * 1024 * 1024;
  const PIECE = Buffer.alloc(1024 * 1024, 7);

  /** Peak growth of the process's memory outside the JavaScript heap, in bytes. */
  async function growth(work: () => Promise<void>): Promise<number> {
    const memory = () => process.memoryUsage().rss;
    const before = memory();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, memory())), 5);
    await work();
    clearInterval(timer);
    return peak - before;
  }

  it('takes 200 MB up and gives 200 MB down, stopping at a slow reader', async () => {
    let produced = 0;
    let taken = 0;
    let release = () => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    const { port } = await start(async (request) => {
      if (request.method === 'GET') {
        const body = new ReadableStream({
          pull(controller) {
            if (produced >= SIZE) return controller.close();
            produced += PIECE.byteLength;
            controller.enqueue(new Uint8Array(PIECE));
          },
        });
        return new Response(body);
      }
      const reader = request.body!.getReader();
      await slow;
      for (let read = await reader.read(); !read.done; read = await reader.read())
        taken += read.value.byteLength;
      return new Response(String(taken));
    });
    let sent = 0;
    const grown = await growth(async () => {
      const upload = httpRequest({
        host: '127.0.0.1',
        port,
        method: 'POST',
        headers: { 'content-length': SIZE },
      });
      const answered = once(upload, 'response');
      const flushed = new Promise<void>((resolve) => {
        const next = () => {
          while (sent < SIZE) {
            sent += PIECE.byteLength;
            if (!upload.write(PIECE)) return upload.once('drain', next);
          }
          upload.end(resolve);
        };
        next();
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(sent).toBeLessThan(40 * 1024 * 1024);
      release();
      await flushed;
      const [answer] = (await answered) as [IncomingMessage];
      answer.resume();
      expect(taken).toBe(SIZE);

      const download = httpRequest({ host: '127.0.0.1', port }).end();
      const [incoming] = (await once(download, 'response')) as [IncomingMessage];
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(produced).toBeLessThan(40 * 1024 * 1024);
      let received = 0;
      for await (const chunk of incoming) received += chunk.length;
      expect(received).toBe(SIZE);
    });
    expect(grown).toBeLessThan(120 * 1024 * 1024);
  }, 30_000);
});

describe('page visits', () => {
  const appOrigin = 'http://localhost:4180';
  it.each([
    [{ 'sec-fetch-mode': 'navigate', accept: 'text/html' }, '/', 307],
    [{ accept: 'text/html,application/xhtml+xml' }, '/', 307],
    [{ 'sec-fetch-mode': 'cors', accept: 'text/html' }, '/', 200],
    [{ accept: '*/*' }, '/', 200],
    [{ 'sec-fetch-mode': 'navigate' }, '/view?filename=a.png', 200],
    [{ 'sec-fetch-mode': 'navigate' }, '/webhook/x', 200],
  ])('%j %s -> %i', async (headers, path, status) => {
    const { port } = await start(() => new Response('Ollama is running'), { appOrigin });
    const [incoming, text] = await raw(port, { path, headers: headers as Record<string, string> });
    expect(incoming.statusCode).toBe(status);
    expect([incoming.headers.location, text]).toEqual(
      status === 307 ? [`${appOrigin}/`, ''] : [undefined, 'Ollama is running'],
    );
  });
});

describe('taken ports', () => {
  it('names the owner, refuses the port, and moves on when told to', async () => {
    const other = createServer((_incoming, outgoing) => outgoing.end('Ollama is running'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(start(() => new Response(), { port })).rejects.toThrow(PortTaken);
    expect(await describeOwner(port)).toMatch(/^Ollama/);
    const listener = await start(() => new Response('ours'), { port, alternatives: 20 });
    expect(listener.port).toBeGreaterThan(port);
    expect((await raw(listener.port, {}))[1]).toBe('ours');
    other.close();
  });

  it('is taken when only the IPv6 side is', async () => {
    const other = createServer().listen(0, '::1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(start(() => new Response(), { port })).rejects.toThrow(PortTaken);
    other.close();
  });

  it('frees what it has when it closes', async () => {
    const first = await start(() => new Response('one'));
    await first.close(AbortSignal.timeout(1000));
    const second = await start(() => new Response('two'), { port: first.port });
    expect((await raw(second.port, {}))[1]).toBe('two');
  });
});

describe('WebSockets', () => {
  it('carries text and bytes both ways and both ends of the close', async () => {
    let closed = (_code: number) => {};
    const closing = new Promise<number>((resolve) => (closed = resolve));
    const { port } = await start(
      () => new Response(),
      {},
      (request) => ({
        protocol: request.headers.get('sec-websocket-protocol') ?? undefined,
        start(socket: ServerSocket) {
          socket.send(`hello ${new URL(request.url).searchParams.get('clientId')}`);
          socket.onMessage((data) => socket.send(data));
          socket.onClose((code) => closed(code));
        },
      }),
    );
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?clientId=7`, ['x']);
    const messages: unknown[] = [];
    const received = new Promise<void>((resolve) =>
      socket.on('message', (data: Buffer, binary) => {
        messages.push(binary ? [...data] : data.toString());
        if (messages.length === 3) resolve();
      }),
    );
    await once(socket, 'open');
    socket.send('text');
    socket.send(Buffer.from([1, 2]));
    await received;
    expect(messages).toEqual(['hello 7', 'text', [1, 2]]);
    expect(socket.protocol).toBe('x');
    socket.close(4001);
    expect(await closing).toBe(4001);
  });

  it('refuses with the answer of the core', async () => {
    const { port } = await start(
      () => new Response(),
      {},
      () => Response.json({ error: 'not here' }, { status: 404 }),
    );
    const socket = new WebSocket(`ws://127.0.0.1:${port}/nothing`);
    const [, incoming] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    expect([incoming.statusCode, Buffer.concat(chunks).toString()]).toEqual([404, '{"error":"not here"}']);
  });
});

describe('stopping', () => {
  it('lets an answer finish, refuses new ones, and cuts at the deadline', async () => {
    let finish = () => {};
    const done = new Promise<void>((resolve) => (finish = resolve));
    const listener = await start(
      () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(encoder.encode('a'));
              await done;
              controller.enqueue(encoder.encode('b'));
              controller.close();
            },
          }),
        ),
    );
    const outgoing = httpRequest({ host: '127.0.0.1', port: listener.port }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(listener.running).toBe(1);
    const closing = listener.close(AbortSignal.timeout(5000));
    await expect(raw(listener.port, {})).rejects.toThrow(/ECONNREFUSED/);
    finish();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('ab');
    await closing;
    expect(listener.running).toBe(0);

    const endless = await start(() => new Response(new ReadableStream({})));
    const stuck = httpRequest({ host: '127.0.0.1', port: endless.port }).end();
    stuck.on('error', () => {});
    await once(stuck, 'response');
    const begun = performance.now();
    await endless.close(AbortSignal.timeout(100));
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
