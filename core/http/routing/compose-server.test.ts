import { describe, expect, it } from 'vitest';
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
import { composeServer } from './compose-server.ts';
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
      createLocalModelsApi({ host, registry, text }),
      imageWorkflowsApi(host),
      webhooksApi(host, webhooks),
    ],
  };
}

describe('ownership on a shared origin', () => {
  /** Paths too common to be taken from a site that has routes of its own. */
  const ofWholeOriginsOnly = /^(\/api)?\/(extensions|i18n|settings|users|userdata|v2|jobs|internal)(\/|$)/;

  it('gives every route of every table to the API that has it', () => {
    const { all } = apis();
    const wrong = all.flatMap((api) =>
      api.routes
        .filter(({ path }) => path !== '/')
        .map(({ method, path }) => ({ method, path: path.replace(/[:*][a-zA-Z]+/g, 'x'), api: api.name }))
        .filter(
          ({ method, path }) =>
            (apiOfRequest(method, path, API_NAMES) !== api.name && !ofWholeOriginsOnly.test(path)) ||
            apiOfRequest(method, path, API_NAMES, '', 'whole') !== api.name,
        ),
    );
    expect(all.map((api) => api.routes.length > 0)).toEqual([true, true, true]);
    expect(wrong).toEqual([]);
  });

  it('has no method and path twice', () => {
    const seen = apis().all.flatMap((api) => api.routes.map(({ method, path }) => `${method} ${path}`));
    expect(seen.filter((key, i) => seen.indexOf(key) !== i)).toEqual([]);
  });
});

describe('composeServer', () => {
  const ask = (method: string, path: string, context = ORIGIN, headers: HeadersInit = {}) => {
    const { host, all } = apis();
    return composeServer(host, all).fetch(
      new Request(`http://localhost:4180${path}`, { method, headers }),
      context,
    );
  };

  it('signs every answer', async () => {
    for (const path of ['/api/version', '/nope', '/system_stats', '/webhook/x', '/api/nope']) {
      const response = await ask('GET', path);
      expect(response.headers.get('x-tabd-served-by')).toBe('node');
      expect(response.headers.get('x-tabd-version')).toBe(pkg.version);
    }
    expect(TABD_VERSION).toBe(pkg.version);
  });

  it('asks the table of the listener', async () => {
    expect((await ask('GET', '/system_stats')).status).toBe(200);
    const own = await ask('GET', '/system_stats', CALL);
    expect([own.status, await own.text()]).toEqual([404, '404 page not found']);
    expect((await ask('GET', '/api/version', { ...CALL, listener: 'webhooks' })).status).toBe(404);
    expect((await ask('GET', '/', ORIGIN)).status).toBe(404);
    expect(await (await ask('GET', '/', CALL)).text()).toBe('Ollama is running');
  });

  it('runs a session for a socket, and refuses one from a page of another site', async () => {
    const { host, all } = apis();
    const server = composeServer(host, all);
    const connect = (origin: string) =>
      server.connect(new Request('http://localhost:4180/ws', { headers: { origin } }), ORIGIN);
    expect(await connect('http://localhost:4180')).toHaveProperty('start');
    expect(await connect('http://evil.example')).toMatchObject({ status: 403 });
    const plain = await server.connect(new Request('http://localhost:4180/api/version'), ORIGIN);
    expect(plain).toMatchObject({ status: 200 });
  });

  it('aborts what runs when it closes', async () => {
    const { host, all } = apis();
    let seen: AbortSignal | undefined;
    all[0]!.routes.push({
      method: 'GET',
      path: '/api/status/wait',
      handle: ({ signal }) => {
        seen = signal;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const server = composeServer(host, all);
    const waiting = server.fetch(new Request('http://localhost:11434/api/status/wait'), CALL);
    await Promise.resolve();
    await server.close();
    expect((await waiting).status).toBe(499);
    expect(seen?.aborted).toBe(true);
  });
});
