import { describe, expect, it, vi } from 'vitest';
import { TABD_VERSION } from '#core/base/version.ts';
import { imageWorkflowsApi } from '#core/image-workflows/api.ts';
import { createLocalModelsApi } from '#core/local-models/api.ts';
import { webhooksApi } from '#core/webhooks/api.ts';
import { WebhookServer } from '#core/webhooks/webhook-server.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { CALL } from '#test/support/local-models/fake-server.ts';
import { FakeRegistry, FakeTextService } from '#test/support/local-models/fake-text-service.ts';
import pkg from '../../../package.json';
import { API_NAMES } from '../apis.ts';
import type { Api } from './api.ts';
import { composeServer } from './compose-server.ts';
import { LazyApi } from './lazy-api.ts';
import { apiOfRequest } from './path-owner.ts';
import type { CallContext } from './server.ts';

const ORIGIN: CallContext = { ...CALL, listener: 'origin' };

function apis() {
  const host = createTestHost();
  const registry = new FakeRegistry();
  const text = new FakeTextService(registry);
  const webhooks = new WebhookServer(host, { fetch: async () => new Response(null, { status: 503 }) });
  return {
    host,
    all: [
      createLocalModelsApi({ host, registry, textService: text }),
      imageWorkflowsApi(host),
      webhooksApi(host, webhooks),
    ],
  };
}

describe('ownership on a shared origin', () => {
  /** Paths that are too common to be taken from a site with routes of its own. */
  const genericPaths = /^(\/api)?\/(extensions|i18n|settings|users|userdata|v2|jobs|internal)(\/|$)/;

  it('assigns every route of every table to its own API', () => {
    const { all } = apis();
    const wrong = all.flatMap((api) =>
      api.routes
        .filter(({ path }) => path !== '/')
        .map(({ method, path }) => ({ method, path: path.replace(/[:*][a-zA-Z]+/g, 'x'), api: api.name }))
        .filter(
          ({ method, path }) =>
            (apiOfRequest(method, path, API_NAMES) !== api.name && !genericPaths.test(path)) ||
            apiOfRequest(method, path, API_NAMES, '', 'whole') !== api.name,
        ),
    );
    expect(all.map((api) => api.routes.length > 0)).toEqual([true, true, true]);
    expect(wrong).toEqual([]);
  });

  it('has no two routes with the same method and path', () => {
    const keys = apis().all.flatMap((api) => api.routes.map(({ method, path }) => `${method} ${path}`));
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  });
});

describe('composeServer with all APIs', () => {
  const ask = (method: string, path: string, context = ORIGIN, headers: HeadersInit = {}) => {
    const { host, all } = apis();
    return composeServer(host, all).fetch(
      new Request(`http://localhost:4180${path}`, { method, headers }),
      context,
    );
  };

  it('adds its name and version to every response', async () => {
    for (const path of ['/api/version', '/nope', '/system_stats', '/webhook/x', '/api/nope']) {
      const response = await ask('GET', path);
      expect(response.headers.get('x-tabd-served-by')).toBe('node');
      expect(response.headers.get('x-tabd-version')).toBe(pkg.version);
    }
    expect(TABD_VERSION).toBe(pkg.version);
  });

  it('uses the routes of the listener', async () => {
    expect((await ask('GET', '/system_stats')).status).toBe(200);
    const own = await ask('GET', '/system_stats', CALL);
    expect([own.status, await own.text()]).toEqual([404, '404 page not found']);
    expect((await ask('GET', '/api/version', { ...CALL, listener: 'webhooks' })).status).toBe(404);
    expect((await ask('GET', '/', ORIGIN)).status).toBe(404);
    expect(await (await ask('GET', '/', CALL)).text()).toBe('Ollama is running');
  });

  it('opens a WebSocket session, and refuses one of a page of another site', async () => {
    const { host, all } = apis();
    const server = composeServer(host, all);
    const connect = (origin: string) =>
      server.connect(new Request('http://localhost:4180/ws', { headers: { origin } }), ORIGIN);
    expect(await connect('http://localhost:4180')).toHaveProperty('start');
    expect(await connect('http://evil.example')).toMatchObject({ status: 403 });
    const plain = await server.connect(new Request('http://localhost:4180/api/version'), ORIGIN);
    expect(plain).toMatchObject({ status: 200 });
  });

  it('aborts running requests when it closes', async () => {
    const { host, all } = apis();
    let handlerSignal: AbortSignal | undefined;
    all[0]!.routes.push({
      method: 'GET',
      path: '/api/status/wait',
      handle: ({ signal }) => {
        handlerSignal = signal;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const server = composeServer(host, all);
    const waiting = server.fetch(new Request('http://localhost:11434/api/status/wait'), CALL);
    await Promise.resolve();
    await server.close();
    expect((await waiting).status).toBe(499);
    expect(handlerSignal?.aborted).toBe(true);
  });
});

describe('composeServer', () => {
  /** An API that answers `/a` with its own signal, and fails at `/b`. */
  const fakeApi = (more: Partial<Api> = {}) => {
    const signals: AbortSignal[] = [];
    const api: Api = {
      name: 'webhooks',
      routes: [
        {
          method: 'GET',
          path: '/a',
          handle({ signal }) {
            signals.push(signal);
            return new Response('a');
          },
        },
        { method: 'GET', path: '/b', handle: () => Promise.reject(new Error('b')) },
      ],
      headByGet: false,
      redirects: false,
      notFound: () => new Response('none', { status: 404 }),
      methodNotAllowed: () => new Response(null, { status: 405 }),
      failure: (error) => new Response(String(error), { status: 500 }),
      ...more,
    };
    return { api, signals };
  };
  const context: CallContext = { ...CALL, listener: 'webhooks' };
  const request = (path: string, init?: RequestInit) => new Request(`http://localhost${path}`, init);

  it('gives handlers a signal that follows the request and the server', async () => {
    const { api, signals } = fakeApi();
    const server = composeServer(createTestHost(), [api]);
    const client = new AbortController();
    await server.fetch(request('/a', { signal: client.signal }), context);
    await server.fetch(request('/a'), context);
    client.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await server.close();
    expect(signals[1]!.reason).toMatchObject({ name: 'AbortError', message: 'the server is closing' });
  });

  it('answers 404 for a listener without an API', async () => {
    const response = await composeServer(createTestHost(), []).fetch(request('/a'), context);
    expect([response.status, await response.text()]).toEqual([404, 'Not Found']);
    expect(response.headers.get('x-tabd-version')).toBe(TABD_VERSION);
  });

  it('answers 500 and logs it when an API cannot be loaded, for requests and for WebSockets', async () => {
    const host = createTestHost();
    const broken = new LazyApi('webhooks', () => Promise.reject(new Error('no code')));
    const server = composeServer(host, [broken]);
    for (const response of [
      await server.fetch(request('/a'), context),
      (await server.connect(request('/a'), context)) as Response,
    ]) {
      expect([response.status, await response.text()]).toEqual([500, '{"error":"internal error"}']);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('x-tabd-served-by')).toBe('node');
    }
    expect(host.logged).toEqual(
      Array(2).fill({
        level: 'error',
        message: 'a request failed outside of its API',
        fields: { url: 'http://localhost/a', error: 'Error: no code' },
      }),
    );
    await server.close();
  });

  it('loads an API at its first request, and closes only APIs that were loaded', async () => {
    const close = vi.fn(async () => {});
    const load = vi.fn(async () => fakeApi({ close }).api);
    const server = composeServer(createTestHost(), [new LazyApi('webhooks', load)]);
    expect(load).not.toHaveBeenCalled();
    await Promise.all([server.fetch(request('/a'), context), server.fetch(request('/a'), context)]);
    expect(load).toHaveBeenCalledOnce();
    await server.close();
    expect(close).toHaveBeenCalledOnce();

    const unused = vi.fn(async () => fakeApi().api);
    await composeServer(createTestHost(), [new LazyApi('webhooks', unused)]).close();
    expect(unused).not.toHaveBeenCalled();
  });

  it('filters upgrades, and prints their errors and refusals with its own headers', async () => {
    const session = { start() {} };
    const { api } = fakeApi({
      filter: (_request, url, _context, allowed) => {
        expect(allowed).toEqual(['GET']);
        return url.pathname === '/filtered' ? new Response(null, { status: 403 }) : { 'x-ignored': '1' };
      },
      connect: async (_request, url) => {
        if (url.pathname === '/error') throw new Error('boom');
        return url.pathname === '/refused' ? new Response(null, { status: 418 }) : session;
      },
    });
    const server = composeServer(createTestHost(), [api]);
    const connect = (path: string) => server.connect(request(path), context);
    expect(await connect('/ok')).toBe(session);
    for (const [path, status] of [
      ['/filtered', 403],
      ['/refused', 418],
      ['/error', 500],
    ] as const) {
      const response = (await connect(path)) as Response;
      expect([response.status, response.headers.get('x-tabd-served-by')]).toEqual([status, 'node']);
    }
  });

  it('answers an upgrade as a plain request where the API has no WebSockets', async () => {
    const { api } = fakeApi();
    const response = (await composeServer(createTestHost(), [api]).connect(
      request('/a'),
      context,
    )) as Response;
    expect(await response.text()).toBe('a');
  });
});
