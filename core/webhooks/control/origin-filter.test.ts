import { describe, expect, it } from 'vitest';
import { filterOrigin, isControlPath } from './origin-filter.ts';

const path = (pathname: string) => isControlPath(new URL(`http://localhost:5678${pathname}`));

describe('isControlPath', () => {
  it.each(['/api/v1', '/api/v1/', '/api/v1/x', '/API/V1/x', '//api//v1/x', '/api%2Fv1%2fx', '/%61pi/v%31/x'])(
    '%s',
    (pathname) => expect(path(pathname)).toBe(true),
  );

  it.each(['/', '/api', '/api/v10', '/api/v1x', '/apis/v1/x', '/webhook/api/v1/x', '/api/v1%25'])(
    'not %s',
    (pathname) => expect(path(pathname)).toBe(false),
  );
});

interface Call {
  method?: string;
  host?: string;
  origin?: string;
  loopback?: boolean;
  caller?: 'operator' | 'page';
}

function filter({ method = 'GET', host, origin, loopback = true, caller }: Call) {
  const url = new URL('http://localhost:5678/api/v1/workflows');
  const headers = { ...(host !== undefined && { host }), ...(origin !== undefined && { origin }) };
  const request = { method, headers: new Headers(headers) } as Request;
  return filterOrigin(request, url, {
    listener: 'webhooks',
    clientAddress: '127.0.0.1',
    appOrigins: ['http://localhost:4180'],
    loopback,
    ...(caller && { caller }),
  });
}

describe('filterOrigin', () => {
  it.each([
    {},
    { host: 'localhost:5678' },
    { host: 'LOCALHOST' },
    { host: 'app.localhost:1' },
    { host: '127.1.2.3:5678' },
    { host: '0.0.0.0:5678' },
    { host: '[::1]:5678' },
    { host: '[::]:5678' },
    { host: 'box.example', loopback: false },
    { host: 'localhost:5678', origin: 'http://localhost:5678' },
    { host: 'localhost:5678', origin: 'https://localhost:5678' },
    { host: 'evil.example', origin: 'https://evil.example', caller: 'page' as const },
  ])('admits %j', (call) => {
    expect(filter(call)).toBeUndefined();
  });

  it.each([
    { host: 'evil.example' },
    { host: 'localhost.evil.example' },
    { host: '127.0.0.1.evil.example:5678' },
    { host: 'localhost:5678', origin: 'http://evil.example' },
    { host: 'localhost:5678', origin: 'http://localhost:5679' },
    { host: 'localhost:5678', origin: 'null' },
  ])('refuses %j', (call) => {
    expect((filter(call) as Response).status).toBe(403);
  });

  it('lets pages of the app read responses, and answers their preflight requests', () => {
    const app = { origin: 'http://localhost:4180' };
    expect(filter(app)).toEqual({
      'access-control-allow-origin': 'http://localhost:4180',
      'access-control-expose-headers': 'x-tabd-served-by, x-tabd-version',
      vary: 'Origin',
    });
    const preflight = filter({ ...app, method: 'OPTIONS' }) as Response;
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe(
      'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    );
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type, x-n8n-api-key');
  });
});
