import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Digest } from '#core/host';
import type { PortListener } from '../ports/listener.ts';
import { type AppServerOptions, openAppServer } from './app-server.ts';
import { byteRange } from './byte-range.ts';
import { appControlRoutes } from './control.ts';

const WEIGHTS = Buffer.from('0123456789');
const HEX = createHash('sha256').update(WEIGHTS).digest('hex');
const TOKEN = 'the-token';

let folder: string;
let listener: PortListener;
let aborted = false;

const options: Omit<AppServerOptions, 'port' | 'folder'> = {
  weights: {
    find: async (name) =>
      name === 'smollm2:135m'
        ? { files: [{ role: 'weights', digest: `sha256:${HEX}`, size: 10 }], licence: 'Apache-2.0' }
        : undefined,
    blobs: {
      stat: async (digest: Digest) => (digest.endsWith(HEX) ? { digest, size: 10 } : undefined),
      read: (_digest, start, end) =>
        new Blob([new Uint8Array(WEIGHTS.subarray(start, end))]).stream() as ReadableStream<
          Uint8Array<ArrayBuffer>
        >,
    },
  },
  extraRoutes: appControlRoutes({
    token: TOKEN,
    server: {
      fetch: async (request, context) =>
        Response.json([
          request.method,
          new URL(request.url).pathname,
          await request.text(),
          context.listener,
        ]),
    },
    webhooks: () => ({ fetch: async () => new Response('webhooks') }),
    async *importFile(path, name, signal) {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      yield { status: `reading ${path} as ${name}` };
      if (path === '/bad') throw new Error('not a GGUF file');
      if (path === '/endless') await new Promise(() => {});
      yield { status: 'success' };
    },
  }),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-app-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<title>tabd</title>');
  await writeFile(join(folder, 'sw.js'), 'self');
  await writeFile(join(folder, 'assets', 'engine-Ab12_x-9.wasm'), Buffer.from([0, 97, 115, 109]));
  await writeFile(join(folder, 'assets', 'main-DEADBEEF.js'), 'export {}');
  listener = await openAppServer({ port: 0, folder, ...options });
});
afterAll(async () => {
  await listener.close(AbortSignal.abort());
  await rm(folder, { recursive: true });
});

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}
/** Sends exactly these headers. `fetch` would add or refuse some. */
function ask(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { host: `localhost:${listener.port}`, ...headers };
    const outgoing = httpRequest(
      { port: listener.port, path, method, headers: all, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode!,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('error', reject).end(body);
  });
}

describe('the page', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/sw.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/assets/main-DEADBEEF.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/engine-Ab12_x-9.wasm', 'application/wasm', 'public, max-age=31536000, immutable'],
  ])('%s comes as %s, %s', async (path, type, cache) => {
    const { status, headers } = await ask(path);
    expect([status, headers['content-type']?.toLowerCase(), headers['cache-control']]).toEqual([
      200,
      type,
      cache,
    ]);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('is isolated in a way that the browser supports', async () => {
    const chromium = { 'sec-ch-ua': '"Chromium";v="156", "Not_A Brand";v="24"' };
    const isolated = (await ask('/', chromium)).headers;
    expect(isolated['document-isolation-policy']).toBe('isolate-and-credentialless');
    expect(isolated['cross-origin-opener-policy']).toBeUndefined();
    const firefox = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    };
    expect((await ask('/', firefox)).headers['cross-origin-embedder-policy']).toBe('credentialless');
    const safari = {
      'user-agent': 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML) Version/26 Safari/605.1.15',
    };
    expect((await ask('/', safari)).headers['cross-origin-embedder-policy']).toBe('require-corp');
  });

  it('may not load code from other origins', async () => {
    expect((await ask('/')).headers['content-security-policy']).toMatch(
      /script-src 'self' 'wasm-unsafe-eval';/,
    );
  });

  it('serves ranges of files', async () => {
    const { status, headers, text } = await ask('/sw.js', { range: 'bytes=1-2' });
    expect([status, headers['content-range'], text]).toEqual([206, 'bytes 1-2/4', 'el']);
  });

  it.each(['/../package.json', '/%2e%2e/%2e%2e/etc/passwd', '/assets/..%2f..%2fx', '/nothing.js'])(
    'has no %s',
    async (path) => expect((await ask(path)).status).toBe(404),
  );

  it('redirects visits of loopback addresses to its one origin', async () => {
    const visit = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
    for (const name of ['127.0.0.1', '[::1]']) {
      const { status, headers } = await ask('/?a=1', { ...visit, host: `${name}:${listener.port}` });
      expect([status, headers.location]).toEqual([307, `http://localhost:${listener.port}/?a=1`]);
    }
    expect((await ask('/', { ...visit })).status).toBe(200);
  });

  it('is not served under a foreign host name', async () => {
    expect((await ask('/', { host: 'evil.example' })).status).toBe(403);
  });
});

describe('API paths without a tab', () => {
  it.each([
    ['POST', '/api/chat'],
    ['GET', '/v1/models'],
    ['POST', '/prompt'],
    ['GET', '/webhook/x'],
  ])('%s %s is origins to open the page', async (method, path) => {
    const { status, headers, text } = await ask(path, {}, method);
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    expect(JSON.parse(text).error).toContain(`http://localhost:${listener.port}/`);
  });
});

describe('weights for the tab', () => {
  it('lists the files of a model', async () => {
    const { status, text } = await ask('/tabd/weights?model=smollm2:135m');
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        files: [{ role: 'weights', digest: `sha256:${HEX}`, size: 10, url: `/tabd/weights/sha256-${HEX}` }],
        licence: 'Apache-2.0',
      },
    ]);
    expect((await ask('/tabd/weights?model=other')).status).toBe(404);
    expect((await ask('/tabd/weights')).status).toBe(404);
  });

  it.each([
    [undefined, 200, undefined, '0123456789'],
    ['bytes=4-', 206, 'bytes 4-9/10', '456789'],
    ['bytes=2-3', 206, 'bytes 2-3/10', '23'],
    ['bytes=-3', 206, 'bytes 7-9/10', '789'],
    ['bytes=10-', 416, 'bytes */10', ''],
  ])('gives %s of a file', async (range, status, contentRange, body) => {
    const answer = await ask(`/tabd/weights/sha256-${HEX}`, range ? { range } : {});
    expect([answer.status, answer.headers['content-range'], answer.text]).toEqual([
      status,
      contentRange,
      body,
    ]);
    expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  it('answers HEAD, and 404 for missing files', async () => {
    const head = await ask(`/tabd/weights/sha256-${HEX}`, {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '10', '']);
    expect((await ask(`/tabd/weights/sha256-${'0'.repeat(64)}`)).status).toBe(404);
    expect((await ask('/tabd/weights/..%2f..%2fetc')).status).toBe(404);
  });

  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=5-100', { start: 5, end: 10 }],
    ['bytes=-100', { start: 0, end: 10 }],
    ['bytes=3-2', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,3-4', undefined],
    ['lines=0-1', undefined],
    ['bytes=-0', 'unsatisfiable'],
  ])('reads the range %s', (header, range) => expect(byteRange(header, 10)).toEqual(range));
});

describe('routes for the command line', () => {
  const allowed = { authorization: `Bearer ${TOKEN}` };

  it.each(['/tabd/node/api/tags', '/tabd/import'])('require the token for %s', async (path) => {
    expect((await ask(path, {}, 'POST')).status).toBe(401);
    expect((await ask(path, { authorization: 'Bearer x' }, 'POST')).status).toBe(401);
  });

  it('forward requests to the server of this computer', async () => {
    const { text } = await ask('/tabd/node/api/pull', allowed, 'POST', '{"model":"a"}');
    expect(JSON.parse(text)).toEqual(['POST', '/api/pull', '{"model":"a"}', 'local-models']);
  });

  it('report the progress of an import, and its failure', async () => {
    const good = await ask('/tabd/import', allowed, 'POST', '{"path":"/a.gguf","name":"a"}');
    expect(good.text).toBe('{"status":"reading /a.gguf as a"}\n{"status":"success"}\n');
    const bad = await ask('/tabd/import', allowed, 'POST', '{"path":"/bad"}');
    expect(bad.text).toContain('{"error":"not a GGUF file"}\n');
  });

  it('stop an import when the client disconnects', async () => {
    const outgoing = httpRequest({
      port: listener.port,
      path: '/tabd/import',
      method: 'POST',
      headers: { ...allowed, host: 'localhost' },
    }).end('{"path":"/endless"}');
    outgoing.on('error', () => {});
    await new Promise((resolve) => outgoing.on('response', (incoming) => incoming.once('data', resolve)));
    outgoing.destroy();
    await expect.poll(() => aborted).toBe(true);
  });
});

it.each([
  [{}, true],
  [{ 'x-forwarded-for': '203.0.113.9' }, false],
  [{ forwarded: 'for=203.0.113.9' }, false],
])('detects whether a program of this computer sent the request: %j', async (headers, here) => {
  const origins: boolean[] = [];
  const extra = async (_request: Request, _path: string, isHere: boolean) => {
    origins.push(isHere);
    return new Response();
  };
  const server = await openAppServer({ port: 0, folder: undefined, extraRoutes: extra });
  await fetch(`http://localhost:${server.port}/tabd/x`, { headers: headers as Record<string, string> });
  expect(origins).toEqual([here]);
  await server.close(AbortSignal.abort());
});

it('says how to build the page if it is missing', async () => {
  const bare = await openAppServer({ port: 0, folder: undefined });
  const response = await fetch(`http://localhost:${bare.port}/`);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('npm run build');
  await bare.close(AbortSignal.abort());
});
