import { describe, expect, it } from 'vitest';
import { routeLabel } from '../routing/route-label.ts';
import { refused } from './refused.ts';

describe('refusals', () => {
  it.each([
    ['local-models', '/api/chat', { error: 'm' }, { error: 'm' }],
    [
      'local-models',
      '/v1/chat/completions',
      { error: { message: 'm', type: 'invalid_request_error', param: null, code: 'invalid_api_key' } },
      { error: { message: 'm', type: 'requests', param: null, code: 'rate_limit_exceeded' } },
    ],
    [
      'local-models',
      '/v1/messages',
      { type: 'error', error: { type: 'authentication_error', message: 'm' } },
      { type: 'error', error: { type: 'rate_limit_error', message: 'm' } },
    ],
    [
      'image-workflows',
      '/prompt',
      { error: { type: 'unauthorized', message: 'm', details: '', extra_info: {} }, node_errors: {} },
      { error: { type: 'rate_limited', message: 'm', details: '', extra_info: {} }, node_errors: {} },
    ],
    ['webhooks', '/api/v1/workflows', { code: 401, message: 'm' }, { code: 429, message: 'm' }],
  ] as const)('%s %s', async (api, path, unknown, often) => {
    const first = refused(api, path, { status: 401, message: 'm' });
    expect([first.status, first.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="tabd"']);
    expect(await first.json()).toEqual(unknown);
    const second = refused(api, path, { status: 429, message: 'm', retryAfter: 3 });
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await second.json()).toEqual(often);
  });
});

describe('names of routes', () => {
  it.each([
    ['local-models', '/api/chat/', '/api/chat'],
    ['local-models', '/api/blobs/sha256:00', '/api/blobs/:digest'],
    ['local-models', '/v1/models/a/b', '/v1/models/:model'],
    ['local-models', '/api/anything', 'other'],
    ['local-models', '/', '/'],
    ['image-workflows', '/api/history/1234', '/history/*'],
    ['image-workflows', '/prompt', '/prompt'],
    ['image-workflows', '/etc/passwd', 'other'],
    ['webhooks', '/webhook/secret-path', '/webhook/*'],
    ['webhooks', '/WEBHOOK-test/x', '/webhook-test/*'],
    ['webhooks', '/api/v1/workflows/7/activate', '/api/v1/workflows/*'],
    ['webhooks', '/x', 'other'],
  ] as const)('%s %s', (api, path, label) => expect(routeLabel(api, path)).toBe(label));
});
