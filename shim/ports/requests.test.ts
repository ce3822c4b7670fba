import { once } from 'node:events';
import { connect as netConnect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, curl, raw, startPort } from '#test/support/processes/port-testing.ts';

afterEach(cleanUp);

describe('requests', () => {
  it.each(['/api/version', '//api//version', '/API/Version?a=B&c=%2F', '/a%2Fb/c;d'])(
    'keeps the target %s',
    async (path) => {
      const { port } = await startPort((request) => new Response(request.url));
      const [, url] = await raw(port, { path });
      expect(url).toBe(`http://127.0.0.1:${port}${path}`);
    },
  );

  it('does not read a backslash or a hash in a target as syntax', async () => {
    const { port } = await startPort((request) => new Response(request.url));
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
      const { port } = await startPort(
        (request) => new Response(JSON.stringify(request.headers.get('host'))),
      );
      const [incoming, text] = await raw(port, { path: '/', headers: { host }, setHost: false });
      expect(incoming.statusCode).toBe(200);
      expect(JSON.parse(text)).toBe(host);
    },
  );

  it('accepts the cookies of all programs on localhost', async () => {
    const { port } = await startPort(
      (request) => new Response(String(request.headers.get('cookie')?.length)),
    );
    expect((await raw(port, { headers: { cookie: 'c'.repeat(60_000) } }))[1]).toBe('60000');
  });

  it.each(['TRACE', 'PROPFIND', 'PURGE', 'OPTIONS'])('passes %s to the core', async (method) => {
    const { port } = await startPort((request) => new Response(request.method));
    expect((await raw(port, { method, path: '/' }))[1]).toBe(method);
  });

  it('passes the listener and client address to the core', async () => {
    const { port } = await startPort((_request, context) => Response.json(context), {
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
    const { port } = await startPort((_request, context) => new Response(context.clientAddress));
    expect((await raw(port, { host: '::1' }))[1]).toBe('::1');
    expect((await raw(port, {}))[1]).toBe('127.0.0.1');
  });

  it('serves a client that offers h2c, with its body', async () => {
    const { port } = await startPort(
      async (request) => new Response(`${request.method} ${await request.text()}`),
    );
    const { output } = await curl('--http2', '-d', 'hello', `http://127.0.0.1:${port}/x`);
    expect(output).toBe('POST hello');
  });

  it('gives the core a request whose parts another request can take', async () => {
    const { port } = await startPort(async (request) => {
      const other = new Request('http://other/', request);
      return new Response(`${other.method} ${other.headers.get('x-a')} ${await other.text()}`);
    });
    const { output } = await curl('-H', 'x-a: b', '-d', 'hello', `http://127.0.0.1:${port}/x`);
    expect(output).toBe('POST b hello');
  });

  it('sends `100 Continue` only when the body is read', async () => {
    const { port } = await startPort(async (request) =>
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
    const { port } = await startPort(() => new Response('Ollama is running'), { appOrigin });
    const [incoming, text] = await raw(port, { path, headers: headers as Record<string, string> });
    expect(incoming.statusCode).toBe(status);
    expect([incoming.headers.location, text]).toEqual(
      status === 307 ? [`${appOrigin}/`, ''] : [undefined, 'Ollama is running'],
    );
  });
});
