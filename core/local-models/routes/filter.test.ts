import { describe, expect, it } from 'vitest';
import type { CallContext } from '#core/http/routing/server.ts';
import { filterRequest } from './filter.ts';

const settings = { origins: [] as string[], hostname: 'Workstation', addresses: () => ['203.0.113.7'] };
const context: CallContext = {
  listener: 'local-models',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: ['http://localhost:4180'],
};

interface RequestFields {
  method?: string;
  host?: string;
  origin?: string;
  origins?: string[];
  loopback?: boolean;
  listener?: CallContext['listener'];
}

/** Filters a request. Returns the status of a refusal or preflight, or the headers for a request that passes. */
function filter({ method = 'GET', host = '127.0.0.1:11434', origin, origins = [], ...more }: RequestFields) {
  const request = new Request(`http://127.0.0.1:11434/api/tags`, {
    method,
    headers: { host, ...(origin !== undefined && { origin }) },
  });
  const result = filterRequest(request, new URL(request.url), { ...context, ...more }, ['HEAD', 'GET'], {
    ...settings,
    origins,
  });
  if (result instanceof Response) return result.status;
  return result && Object.fromEntries(new Headers(result));
}

describe('OLLAMA_ORIGINS', () => {
  const corsHeaders = (origin: string) => ({ 'access-control-allow-origin': origin, vary: 'Origin' });
  it.each([
    ['https://app.example.com', ['https://app.example.com'], true],
    ['https://other.example.com', ['https://app.example.com'], false],
    ['https://a.example.com', ['https://*.example.com'], true],
    ['https://example.com', ['https://*.example.com'], false],
    ['http://192.168.1.5:3000', ['http://192.168.*'], true],
    ['chrome-extension://abc', ['chrome-extension://*'], true],
    ['moz-extension://abc', ['chrome-extension://*'], false],
    ['http://localhost:3000', ['https://app.example.com'], true],
  ])('%s with %j: %s', (origin, origins, passes) => {
    expect(filter({ origin, origins })).toEqual(passes ? corsHeaders(origin) : 403);
    expect(filter({ origin, origins, method: 'OPTIONS' })).toBe(passes ? 204 : 403);
  });

  it('allows every origin with *', () => {
    expect(filter({ origin: 'https://evil.example', origins: ['*'] })).toEqual({
      'access-control-allow-origin': '*',
    });
    expect(filter({ origin: 'null', origins: ['https://a', '*'], method: 'OPTIONS' })).toBe(204);
  });
});

describe('Host', () => {
  it.each([
    ['localhost', true],
    ['LOCALHOST:11434', true],
    ['workstation', true],
    ['workstation.lan', false],
    ['a.localhost:1', true],
    ['printer.local', true],
    ['host.docker.internal', true],
    ['example.com', false],
    ['localhost.example.com', false],
    ['127.0.0.2', true],
    ['10.1.2.3', true],
    ['172.16.0.1', true],
    ['172.32.0.1', false],
    ['192.168.0.1:11434', true],
    ['0.0.0.0', true],
    ['8.8.8.8', false],
    ['203.0.113.7:11434', true],
    ['[::1]:11434', true],
    ['[fd00::1]', true],
    ['[2001:db8::1]:11434', false],
  ])('%s: %s', (host, passes) => {
    expect(filter({ host })).toBe(passes ? undefined : 403);
    expect(filter({ host, loopback: false })).toBeUndefined();
    expect(filter({ host, listener: 'origin' })).toBeUndefined();
  });

  it('does not matter for the page itself, whose origin is always allowed', () => {
    const passed = filter({ host: 'example.com', origin: 'http://localhost:4180' });
    expect(passed).toMatchObject({ 'access-control-allow-origin': 'http://localhost:4180' });
    const hosted = { ...context, appOrigins: ['https://tabd.example.com'] };
    expect(filter({ ...hosted, origin: 'https://tabd.example.com' })).toMatchObject({
      'access-control-expose-headers': 'x-tabd-served-by, x-tabd-version',
    });
  });

  it('answers OPTIONS without Origin for host names only', () => {
    expect(filter({ method: 'OPTIONS', host: 'localhost' })).toBe(204);
    expect(filter({ method: 'OPTIONS', host: '127.0.0.1' })).toBeUndefined();
  });
});
