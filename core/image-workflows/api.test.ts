import { describe, expect, it } from 'vitest';
import { Router } from '#core/http/routing/router.ts';
import type { CallContext } from '#core/http/routing/server.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { imageWorkflowsApi } from './api.ts';

const context: CallContext = {
  listener: 'image-workflows',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: ['http://localhost:4180'],
};

function ask(path: string, init: RequestInit = {}) {
  const url = new URL(path, 'http://127.0.0.1:8188');
  const router = new Router(imageWorkflowsApi(createTestHost()));
  return router.fetch(new Request(url, init), url, context, () => new AbortController().signal);
}

describe('the image API', () => {
  it.each(['/system_stats', '/api/system_stats'])('%s describes the machine', async (path) => {
    const response = await ask(path);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { system, devices } = (await response.json()) as {
      system: Record<string, unknown>;
      devices: unknown[];
    };
    expect(system).toMatchObject({ comfyui_version: '0.3.64', os: 'posix' });
    expect(devices).toHaveLength(1);
  });

  it.each([
    ['GET', '/nope', 404, 'application/octet-stream'],
    ['POST', '/system_stats', 405, 'text/plain; charset=utf-8'],
    ['HEAD', '/system_stats', 200, 'application/json; charset=utf-8'],
    ['GET', '/ws', 400, 'text/plain; charset=utf-8'],
    ['OPTIONS', '/anything', 200, null],
  ])('%s %s is %i', async (method, path, status, type) => {
    const response = await ask(path, { method });
    expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
  });

  it.each([
    ['http://127.0.0.1:8188', 200],
    ['http://127.0.0.1', 200],
    ['http://127.0.0.1:9999', 403],
    ['http://localhost:8188', 403],
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:4180', 200],
  ])('an Origin %s gets %i', async (origin, status) => {
    const response = await ask('/system_stats', { headers: { host: '127.0.0.1:8188', origin } });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(
      origin === 'http://localhost:4180' ? origin : null,
    );
  });

  it('refuses pages of other sites that send no Origin', async () => {
    const headers = { host: '127.0.0.1:8188', 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' };
    expect((await ask('/view?filename=x.png', { headers })).status).toBe(403);
  });

  it('sends a tab’s own page no CORS headers', async () => {
    const origin = 'http://localhost:4180';
    const request = new Request(`${origin}/prompt`, { headers: { origin } });
    const router = new Router(imageWorkflowsApi(createTestHost()));
    const { status, headers } = await router.fetch(
      request,
      new URL(request.url),
      { ...context, listener: 'origin' },
      () => new AbortController().signal,
    );
    expect([status, headers.get('vary'), headers.get('access-control-allow-origin')]).toEqual([
      200,
      null,
      null,
    ]);
  });
});
