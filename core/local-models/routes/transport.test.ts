/** Paths, methods, redirects, Host and Origin on the Ollama API's own port. */
import { describe, expect, it } from 'vitest';
import { CALL, fakeServer } from '#test/support/local-models/fake-server.ts';

const send = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  settings: Record<string, string> = {},
  context = CALL,
) => {
  // Node, unlike browsers, lets a Request set Host and Origin.
  const request = new Request(`http://127.0.0.1:11434${path}`, { method, headers });
  return fakeServer({ settings }).server.fetch(request, context);
};

describe('paths and methods', () => {
  it.each([
    ['GET', '/api/nope', 404, '404 page not found'],
    ['POST', '/nope', 404, '404 page not found'],
    ['GET', '/API/tags', 404, '404 page not found'],
    ['GET', '/v1/models/library/smollm2:135m', 404, '404 page not found'],
    ['GET', '/v1/models/library%2Fsmollm2:135m', 404, '404 page not found'],
    ['GET', '/api/chat', 405, '405 method not allowed'],
    ['PUT', '/api/chat', 405, '405 method not allowed'],
    ['HEAD', '/api/ps', 405, ''],
    ['GET', '/', 200, 'Ollama is running'],
    ['HEAD', '/', 200, ''],
    ['GET', '/api/version', 200, '{"version":"0.33.0"}'],
  ])('%s %s: %d %j', async (method, path, status, text) => {
    const response = await send(method, path);
    expect([response.status, await response.text()]).toEqual([status, text]);
    if (status >= 400) expect(response.headers.get('content-type')).toBe('text/plain');
  });

  it('names the allowed methods', async () => {
    expect((await send('PUT', '/api/chat')).headers.get('allow')).toBe('POST');
    expect((await send('OPTIONS', '/')).headers.get('allow')).toBe('HEAD, GET');
  });

  it('sends the length of the omitted body for HEAD', async () => {
    expect((await send('HEAD', '/')).headers.get('content-length')).toBe('17');
  });

  it.each([
    ['GET', '/api/tags/', 301, '/api/tags'],
    ['POST', '/api/chat/', 307, '/api/chat'],
    ['GET', '//api/tags', 307, '/api/tags'],
    ['GET', '//api//tags?x=1', 307, '/api/tags?x=1'],
  ])('%s %s: %d to %s', async (method, path, status, location) => {
    const response = await send(method, path);
    expect([response.status, response.headers.get('location')]).toEqual([status, location]);
  });

  it("redirects a double slash with Ollama's page", async () => {
    expect(await (await send('GET', '//api/tags')).text()).toBe(
      '<a href="/api/tags">Temporary Redirect</a>.\n\n',
    );
  });
});

describe('Origin', () => {
  it.each([
    'http://localhost:3000',
    'https://localhost',
    'https://127.0.0.1:8443',
    'http://0.0.0.0:5173',
    'file://',
    'app://x',
    'tauri://localhost',
    'vscode-webview://abc',
  ])('allows %s, and repeats it', async (origin) => {
    const response = await send('GET', '/api/version', { origin });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('vary')).toBe('Origin');
  });

  it.each([
    'https://evil.example',
    'null',
    'http://[::1]:3000',
    'http://foo.localhost:3000',
    'http://localhost.evil.example',
    'chrome-extension://abcdef',
  ])('refuses %s', async (origin) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const response = await send(method, '/api/chat', { origin });
      expect([response.status, await response.text()]).toEqual([403, '']);
      expect(response.headers.get('allow')).toBe(method === 'OPTIONS' ? 'POST' : null);
    }
  });

  it('adds no headers for the same origin', async () => {
    const response = await send('GET', '/api/version', { origin: 'http://127.0.0.1:11434' });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });

  it('allows the entries of OLLAMA_ORIGINS, each with at most one wildcard', async () => {
    const settings = { OLLAMA_ORIGINS: 'https://app.example.com, chrome-extension://*' };
    const origins = ['https://app.example.com', 'chrome-extension://abc', 'https://other.example'];
    const answers = await Promise.all(
      origins.map((origin) => send('GET', '/api/version', { origin }, settings)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403]);
    const all = await send('GET', '/api/version', { origin: 'https://x.example' }, { OLLAMA_ORIGINS: '*' });
    expect(all.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('always allows the page itself', async () => {
    const context = { ...CALL, appOrigins: ['https://app.example'] };
    const response = await send('GET', '/api/version', { origin: 'https://app.example' }, {}, context);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });

  it('answers preflights, also of unknown paths', async () => {
    const preflight = await send('OPTIONS', '/api/chat', { origin: 'http://localhost:3000' });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      allow: 'POST',
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
      'access-control-allow-origin': 'http://localhost:3000',
      'access-control-max-age': '43200',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    });
    const unknown = await send('OPTIONS', '/nope', { origin: 'http://localhost:3000' });
    expect([unknown.status, unknown.headers.get('allow')]).toEqual([204, null]);
  });
});

describe('Host', () => {
  it.each([
    ['localhost:11434', 200],
    ['127.0.0.1', 200],
    ['[::1]:11434', 200],
    ['192.168.1.5:11434', 200],
    ['10.0.0.1', 200],
    ['host.docker.internal:11434', 200],
    ['my.local', 200],
    ['evil.example', 403],
    ['8.8.8.8:11434', 403],
    ['localhost.evil.example', 403],
  ])('%s: %d', async (host, status) => {
    expect((await send('GET', '/api/version', { host })).status).toBe(status);
    const open = { ...CALL, loopback: false };
    expect((await send('GET', '/api/version', { host }, {}, open)).status).toBe(200);
  });

  it('answers OPTIONS without Origin for host names only', async () => {
    expect((await send('OPTIONS', '/api/chat', { host: 'localhost:11434' })).status).toBe(204);
    expect((await send('OPTIONS', '/api/chat', { host: '127.0.0.1:11434' })).status).toBe(405);
  });
});
