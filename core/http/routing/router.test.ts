import { describe, expect, it } from 'vitest';
import { CALL } from '#test/support/local-models/fake-server.ts';
import type { Api } from './api.ts';
import { Router } from './router.ts';

function router(more: Partial<Api> = {}) {
  const echo: Api['routes'][number]['handle'] = ({ params, route }) =>
    Response.json({ route: `${route.method} ${route.path}`, params }, { headers: { 'x-own': 'yes' } });
  const api: Api = {
    name: 'webhooks',
    routes: [
      { method: 'GET', path: '/models', handle: echo },
      { method: 'GET', path: '/models/:name', handle: echo },
      { method: '*', path: '/hook/*path', handle: echo },
      { method: 'POST', path: '/fails', handle: () => Promise.reject(new Error('boom')) },
      { method: 'GET', path: '/moved', handle: () => Response.redirect('http://127.0.0.1/elsewhere') },
    ],
    headByGet: true,
    redirects: false,
    notFound: () => new Response('none', { status: 404 }),
    methodNotAllowed: (_request, _url, allowed) =>
      new Response('not so', { status: 405, headers: { allow: allowed.join(',') } }),
    failure: (error) => new Response(String(error), { status: 500 }),
    ...more,
  };
  return (method: string, path: string) => {
    const request = new Request(`http://127.0.0.1${path}`, { method });
    return new Router(api).fetch(request, new URL(request.url), CALL, () => request.signal);
  };
}

describe('Router', () => {
  it.each([
    ['GET', '/models', 'GET /models', {}],
    ['GET', '/models/a%20b', 'GET /models/:name', { name: 'a b' }],
    ['PATCH', '/hook/orders/7', '* /hook/*path', { path: 'orders/7' }],
  ])('%s %s -> %s %j', async (method, path, route, params) => {
    expect(await (await router()(method, path)).json()).toEqual({ route, params });
  });

  it.each([
    ['GET', '/models/a/b', 404],
    ['GET', '/models/', 404],
    ['GET', '/hook/', 404],
    ['GET', '/models/%', 200],
    ['POST', '/models', 405],
    ['POST', '/fails', 500],
  ])('%s %s: %d', async (method, path, status) => {
    expect((await router()(method, path)).status).toBe(status);
  });

  it('answers HEAD by GET without the body, where the API does', async () => {
    const response = await router()('HEAD', '/models');
    expect([response.status, response.headers.get('x-own'), await response.text()]).toEqual([200, 'yes', '']);
    expect((await router({ headByGet: false })('HEAD', '/models')).status).toBe(405);
  });

  it('lets the filter refuse, see the allowed methods, and add headers to any answer', async () => {
    const seen: string[][] = [];
    const ask = router({
      filter: (request, _url, _context, allowed) => {
        seen.push(allowed);
        return request.method === 'PUT' ? new Response(null, { status: 403 }) : { 'x-added': '1' };
      },
    });
    expect((await ask('PUT', '/models')).status).toBe(403);
    for (const path of ['/models', '/nowhere', '/moved'])
      expect((await ask('GET', path)).headers.get('x-added')).toBe('1');
    expect((await ask('POST', '/fails')).headers.get('x-added')).toBe('1');
    expect(seen.slice(0, 3)).toEqual([['GET'], ['GET'], []]);
  });
});
