import { describe, expect, it, vi } from 'vitest';
import { CALL } from '#test/support/local-models/fake-server.ts';
import type { Api } from './api.ts';
import { Router } from './router.ts';

function fakeApi(more: Partial<Api> = {}): Api {
  const echo: Api['routes'][number]['handle'] = ({ params, route }) =>
    Response.json({ route: `${route.method} ${route.path}`, params }, { headers: { 'x-own': 'yes' } });
  return {
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
    notFound: () => new Response('not found', { status: 404 }),
    methodNotAllowed: (_request, _url, allowed) =>
      new Response('not allowed', { status: 405, headers: { allow: allowed.join(',') } }),
    failure: (error) => new Response(String(error), { status: 500 }),
    ...more,
  };
}

/** Sends requests to a router over `fakeApi`. */
function router(more: Partial<Api> = {}) {
  const api = fakeApi(more);
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

  it('answers HEAD as GET without the body, if the API says so', async () => {
    const response = await router()('HEAD', '/models');
    expect([response.status, response.headers.get('x-own'), await response.text()]).toEqual([200, 'yes', '']);
    expect((await router({ headByGet: false })('HEAD', '/models')).status).toBe(405);
  });

  it('the filter sees the allowed methods, may refuse, and adds headers to every response', async () => {
    const allowedMethods: string[][] = [];
    const ask = router({
      filter: (request, _url, _context, allowed) => {
        allowedMethods.push(allowed);
        return request.method === 'PUT' ? new Response(null, { status: 403 }) : { 'x-added': '1' };
      },
    });
    expect((await ask('PUT', '/models')).status).toBe(403);
    for (const path of ['/models', '/nowhere', '/moved'])
      expect((await ask('GET', path)).headers.get('x-added')).toBe('1');
    expect((await ask('POST', '/fails')).headers.get('x-added')).toBe('1');
    expect(allowedMethods.slice(0, 3)).toEqual([['GET'], ['GET'], []]);
  });

  it('names the methods of a path that has others', async () => {
    const more = { handle: () => new Response(), path: '/models' };
    const ask = router({
      routes: [
        { method: 'GET', ...more },
        { method: 'POST', ...more },
        { method: 'GET', ...more },
      ],
    });
    const response = await ask('PUT', '/models');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET,POST']);
  });

  it('the first route that matches counts, and a HEAD route comes before GET', async () => {
    const named = (name: string) => () => new Response(null, { headers: { 'x-route': name } });
    const ask = router({
      routes: [
        { method: 'GET', path: '/a', handle: named('get') },
        { method: 'GET', path: '/:any', handle: named('any') },
        { method: 'HEAD', path: '/a', handle: named('head') },
      ],
    });
    expect((await ask('GET', '/a')).headers.get('x-route')).toBe('get');
    expect((await ask('GET', '/b')).headers.get('x-route')).toBe('any');
    expect((await ask('HEAD', '/a')).headers.get('x-route')).toBe('head');
    expect((await ask('HEAD', '/b')).headers.get('x-route')).toBe('any');
  });

  it('an encoded slash separates segments', async () => {
    expect((await router()('GET', '/models%2Fx')).status).toBe(200);
    expect((await router()('GET', '/models/a%2Fb')).status).toBe(404);
  });

  it('`handle` answers before filter and routes, and its errors are printed', async () => {
    const filter = vi.fn(() => undefined);
    const ask = router({
      filter,
      handle: (call) => {
        if (call.url.pathname === '/models') return undefined;
        if (call.url.pathname === '/bad') return Promise.reject(new Error('bad'));
        return Promise.resolve(new Response('handled'));
      },
    });
    expect(await (await ask('GET', '/anything')).text()).toBe('handled');
    const failed = await ask('GET', '/bad');
    expect([failed.status, await failed.text()]).toEqual([500, 'Error: bad']);
    expect(filter).not.toHaveBeenCalled();
    expect((await ask('GET', '/models')).status).toBe(200);
    expect(filter).toHaveBeenCalledOnce();
  });

  it('creates the signal once, when a handler reads it', async () => {
    const created = vi.fn(() => new AbortController().signal);
    const route: Api['routes'][number] = {
      method: 'GET',
      path: '/:read',
      handle: (call) => {
        if (call.params.read === 'yes') expect(call.signal).toBe(call.signal);
        return new Response();
      },
    };
    const api = new Router({ ...fakeApi(), routes: [route] });
    const fetch = (path: string) => {
      const request = new Request(`http://127.0.0.1${path}`);
      return api.fetch(request, new URL(request.url), CALL, created);
    };
    await fetch('/no');
    expect(created).not.toHaveBeenCalled();
    await fetch('/yes');
    expect(created).toHaveBeenCalledOnce();
  });

  it('the body that GET would have is cancelled for HEAD', async () => {
    const cancel = vi.fn();
    const body = new ReadableStream({ cancel });
    const ask = router({ routes: [{ method: 'GET', path: '/', handle: () => new Response(body) }] });
    await ask('HEAD', '/');
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce());
  });
});

describe('redirects', () => {
  const handle = () => new Response('route');
  const routes: Api['routes'] = [
    { method: 'GET', path: '/', handle },
    { method: 'GET', path: '/a', handle },
    { method: 'HEAD', path: '/a', handle },
    { method: 'POST', path: '/a', handle },
    { method: 'GET', path: '/b/', handle },
    { method: 'GET', path: '/both', handle },
    { method: 'GET', path: '/both/', handle },
  ];
  const ask = router({ redirects: true, routes });

  it.each([
    ['GET', '/a/', 301, '/a', 'Moved Permanently'],
    ['GET', '/b', 301, '/b/', 'Moved Permanently'],
    ['GET', '/a/?x=1', 301, '/a?x=1', 'Moved Permanently'],
    ['GET', '//a', 307, '/a', 'Temporary Redirect'],
    ['GET', '///a//b', 307, '/a/b', 'Temporary Redirect'],
    ['GET', '/nowhere//', 307, '/nowhere/', 'Temporary Redirect'],
  ])('%s %s: %i to %s', async (method, path, status, location, text) => {
    const response = await ask(method, path);
    expect([response.status, response.headers.get('location')]).toEqual([status, location]);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toBe(`<a href="${location}">${text}</a>.\n\n`);
  });

  it('HEAD gets the redirect of GET without its body, and others one without a text', async () => {
    const head = await ask('HEAD', '/a/');
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      301,
      'text/html; charset=utf-8',
      '',
    ]);
    const post = await ask('POST', '/a/');
    expect([post.status, post.headers.get('content-type'), await post.text()]).toEqual([307, null, '']);
  });

  it('escapes the path for the header and for HTML', async () => {
    const response = await ask('GET', `//${encodeURIComponent('<é "&')}`);
    const location = '/%3C%C3%A9%20%22&';
    expect(response.headers.get('location')).toBe(location);
    expect(await response.text()).toContain(`href="${location.replace('&', '&amp;')}"`);
  });

  it.each([
    ['GET', '/', 200],
    ['GET', '/both', 200],
    ['GET', '/both/', 200],
    ['GET', '/none/', 404],
    ['PUT', '/a/', 404],
    ['PUT', '/a', 405],
  ])('%s %s is not redirected: %i', async (method, path, status) => {
    expect((await ask(method, path)).status).toBe(status);
  });

  it('an API without redirects answers 404', async () => {
    const plain = router({ routes });
    expect((await plain('GET', '/a/')).status).toBe(404);
    expect((await plain('GET', '//a')).status).toBe(404);
  });
});
