import { describe, expect, it } from 'vitest';
import { createTestHost } from '#test/support/host/test-host.ts';
import { parseCalledPath } from '../registrations/called-path.ts';
import { DEFAULT_ENDPOINTS, readEndpoints } from './endpoints.ts';
import { readPublicAddress } from './public-address.ts';

const host = (settings: Record<string, string>, platform: 'node' | 'tab' = 'node') => ({
  capabilities: createTestHost({ platform }).capabilities,
  setting: (name: string) => settings[name],
});

describe('the public address', () => {
  const OWN = 'http://localhost:5999';
  it.each([
    [{}, OWN],
    [{ WEBHOOK_URL: 'https://hooks.example/', N8N_HOST: 'other' }, 'https://hooks.example'],
    [{ N8N_WEBHOOK_URL: 'https://hooks.example/in/' }, 'https://hooks.example/in'],
    [{ N8N_HOST: 'box.example' }, 'http://box.example:5999'],
    [
      { N8N_HOST: 'box.example', N8N_PROTOCOL: 'https', N8N_PATH: '/flows/' },
      'https://box.example:5999/flows',
    ],
    [{ N8N_HOST: '0.0.0.0', N8N_PATH: '/' }, OWN],
    [{ N8N_HOST: '::1' }, 'http://[::1]:5999'],
    [{ N8N_HOST: 'a.example/x?y', N8N_PROTOCOL: 'gopher' }, OWN],
  ])('%j', (settings, expected) => {
    expect(readPublicAddress(host(settings), OWN)).toBe(expected);
  });

  it('leaves out the default port of its protocol', () => {
    const settings = host({ N8N_PROTOCOL: 'https', N8N_HOST: 'box.example' });
    expect(readPublicAddress(settings, 'http://localhost:443')).toBe('https://box.example');
    expect(readPublicAddress(settings, 'http://localhost:80')).toBe('https://box.example:80');
    expect(readPublicAddress(settings)).toBe('https://box.example:5678');
  });
});

describe('prefixes of paths', () => {
  it('are settings in Node, but fixed in a tab', () => {
    const settings = { N8N_ENDPOINT_WEBHOOK: '/hooks/in/', N8N_ENDPOINT_WEBHOOK_TEST: 'try' };
    const endpoints = { webhook: 'hooks/in', test: 'try', waiting: 'webhook-waiting' };
    expect(readEndpoints(host(settings))).toEqual({ endpoints, refused: [] });
    expect(readEndpoints(host(settings, 'tab')).endpoints).toEqual(DEFAULT_ENDPOINTS);
  });

  it.each([
    ['api', /N8N_ENDPOINT_WEBHOOK: 'api' cannot be/],
    ['REST/x', /cannot be/],
    ['a b', /cannot be/],
    ['../x', /cannot be/],
    ['x/../../y', /cannot be/],
    ['form-test', /cannot be/],
    ['webhook-test', /one of them begins with 'webhook-test' too/],
    ['WEBHOOK-waiting/x', /another one of them begins with 'webhook-waiting' too/],
  ])('cannot be %s', (prefix, problem) => {
    const { endpoints, refused } = readEndpoints(host({ N8N_ENDPOINT_WEBHOOK: prefix }));
    expect(endpoints).toEqual(DEFAULT_ENDPOINTS);
    expect(refused).toEqual([expect.stringMatching(problem)]);
  });
});

describe('a called path', () => {
  const endpoints = { webhook: 'hooks/in', test: 'Try', waiting: 'hooks-wait' };
  it.each([
    ['/hooks/in/a/b%20c/', 'production', 'a/b c'],
    ['/HOOKS/in', 'production', ''],
    ['/try/a', 'test', 'a'],
    ['/hooks-wait/7', 'waiting', '7'],
  ])('%s', (path, mode, rest) => {
    expect(parseCalledPath(path, endpoints)).toEqual({ kind: 'webhook', mode, path: rest });
  });

  it.each(['/webhook/a', '/hooks/inn/a', '/hooks', '/tryit', '/', '/hooks/in-test/a'])('not %s', (path) => {
    expect(parseCalledPath(path, endpoints)).toBeUndefined();
  });

  it('may belong to a form', () => {
    expect(parseCalledPath('/form-test/x', endpoints)).toEqual({ kind: 'form', mode: 'test', path: 'x' });
  });
});
