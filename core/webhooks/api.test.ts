import { expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { Router } from '#core/http/routing/router.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { webhooksApi } from './api.ts';
import { WebhookServer } from './webhook-server.ts';

function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const url = new URL(path, 'http://localhost:5678');
  const context = {
    listener: 'webhooks',
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: [],
  } as const;
  const host = createTestHost({ schema: recordsSchema });
  const models = { fetch: async () => new Response(null, { status: 503 }) };
  const router = new Router(webhooksApi(host, new WebhookServer(host, models)));
  return router.fetch(
    new Request(url, { method, headers }),
    url,
    { ...context, appOrigins: [] },
    () => new AbortController().signal,
  );
}

it.each([
  ['GET', '/webhook/does-not-exist', 'The requested webhook "GET does-not-exist" is not registered.'],
  ['POST', '/webhook/a/b/?x=1', 'The requested webhook "POST a/b" is not registered.'],
  ['GET', '/WebHook/Case', 'The requested webhook "GET Case" is not registered.'],
  ['GET', '/webhook/with%20space', 'The requested webhook "GET with space" is not registered.'],
  ['GET', '/webhook/bad%zz', 'The requested webhook "GET bad%zz" is not registered.'],
  ['GET', '/webhook-test/x', 'The requested webhook "x" is not registered.'],
  ['GET', '/webhook-waiting/12345', 'The execution "12345" does not exist.'],
  ['POST', '/elsewhere', 'Cannot POST /elsewhere'],
])('%s %s is 404: %s', async (method, path, message) => {
  const response = await ask(method, path);
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toMatchObject({ code: 404, message });
});

it('hints at the button for test calls, and at the switch for production calls', async () => {
  const hint = async (path: string) => ((await (await ask('GET', path)).json()) as { hint: string }).hint;
  expect(await hint('/webhook-test/x')).toMatch(/^Click the 'Execute workflow' button/);
  expect(await hint('/webhook/x')).toMatch(/^The workflow must be active/);
});

it('pages of another origin may read why their call failed', async () => {
  const response = await ask('GET', '/webhook/x', { origin: 'https://shop.example' });
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
});

it.each([
  ['HEAD', '/webhook/x', 404],
  ['OPTIONS', '/webhook/x', 204],
  ['PROPFIND', '/webhook/x', 500],
  ['GET', '/healthz', 200],
  ['GET', '/api/v1/workflows', 401],
  ['GET', '/api/v1/none', 404],
  ['PATCH', '/api/v1/workflows', 405],
])('%s %s is %i', async (method, path, status) => {
  expect((await ask(method, path)).status).toBe(status);
});

it.each(['/api/v1/workflows', '/api%2Fv1/workflows', '/%61pi/v1%2fworkflows'])(
  'other sites may not use %s',
  async (path) => {
    const response = await ask('POST', path, { origin: 'https://evil.example', 'x-n8n-api-key': 'any' });
    expect(response.status).toBe(403);
  },
);
