import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_NAMES } from '../apis.ts';
import { apiOfRequest, withoutPrefix } from './path-owner.ts';

describe('apiOfRequest', () => {
  it.each([
    ['GET', '/api/tags', 'local-models'],
    ['POST', '/api/chat', 'local-models'],
    ['PUT', '/api/chat', 'local-models'],
    ['POST', '/api/embeddings', 'local-models'],
    ['GET', '/api/embeddings', 'image-workflows'],
    ['HEAD', '/api/embeddings', 'image-workflows'],
    ['GET', '/embeddings', 'image-workflows'],
    ['POST', '/v1/embeddings', 'local-models'],
    ['GET', '/v1/models/smollm2:135m', 'local-models'],
    ['GET', '/models/checkpoints', 'image-workflows'],
    ['POST', '/prompt', 'image-workflows'],
    ['GET', '/api/prompt', 'image-workflows'],
    ['GET', '/history/abc', 'image-workflows'],
    ['GET', '/ws', 'image-workflows'],
    ['POST', '/webhook/orders/7', 'webhooks'],
    ['POST', '/WebHook-Test/orders', 'webhooks'],
    ['POST', '/mcp', 'local-models'],
    ['POST', '/mcp/tools', 'webhooks'],
    ['GET', '/api/v1/workflows', 'webhooks'],
    ['GET', '/', undefined],
    ['GET', '/index.html', undefined],
    ['GET', '/prompts', undefined],
    ['GET', '/webhooks', undefined],
    ['GET', '/api/orders', undefined],
    ['GET', '/users', undefined],
  ])('%s %s -> %s', (method, path, owner) => {
    expect(apiOfRequest(method, path, API_NAMES)).toBe(owner);
  });

  it('takes the whole of /api and the generic paths on the app itself', () => {
    expect(apiOfRequest('GET', '/api/orders', API_NAMES, '', 'whole')).toBe('local-models');
    expect(apiOfRequest('GET', '/v1', API_NAMES, '', 'whole')).toBe('local-models');
    expect(apiOfRequest('GET', '/users', API_NAMES, '', 'whole')).toBe('image-workflows');
    expect(apiOfRequest('GET', '/', API_NAMES, '', 'whole')).toBeUndefined();
  });

  it('leaves APIs that are off to the site', () => {
    expect(apiOfRequest('POST', '/api/chat', ['webhooks'])).toBeUndefined();
    expect(apiOfRequest('GET', '/api/embeddings', ['local-models'])).toBe('local-models');
    expect(apiOfRequest('GET', '/api/v1/workflows', ['local-models'])).toBeUndefined();
  });

  it('knows a prefix', () => {
    expect(apiOfRequest('POST', '/ai/api/chat', API_NAMES, '/ai')).toBe('local-models');
    expect(apiOfRequest('POST', '/ai/api/chat', API_NAMES, '/ai/')).toBe('local-models');
    expect(apiOfRequest('POST', '/api/chat', API_NAMES, '/ai')).toBeUndefined();
    expect(apiOfRequest('POST', '/aix/api/chat', API_NAMES, '/ai')).toBeUndefined();
    expect(withoutPrefix('/ai/api/chat', '/ai')).toBe('/api/chat');
    expect(withoutPrefix('/ai', '/ai')).toBeUndefined();
  });
});

it('imports nothing, because the service worker carries it', () => {
  const source = readFileSync(new URL('./path-owner.ts', import.meta.url), 'utf8');
  expect(source.match(/^import .*/gm)?.filter((line) => !line.startsWith('import type '))).toEqual([]);
});
