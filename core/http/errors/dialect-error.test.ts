import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ApiName } from '../apis.ts';
import {
  accessRefusedResponse,
  dialectErrorResponse,
  dialectOf,
  unavailableResponse,
} from './dialect-error.ts';

describe('dialectOf', () => {
  it.each<[ApiName, string, string]>([
    ['local-models', '/api/chat', 'ollama'],
    ['local-models', '/', 'ollama'],
    ['local-models', '/v1', 'openai'],
    ['local-models', '/v1/', 'openai'],
    ['local-models', '/v1/chat/completions', 'openai'],
    ['local-models', '/v1x', 'ollama'],
    ['local-models', '/v1/messages', 'anthropic'],
    ['local-models', '/v1/messages/', 'anthropic'],
    ['local-models', '/v1/messages/batches', 'anthropic'],
    ['local-models', '/v1/messagesx', 'openai'],
    ['local-models', '/api/v1/messages', 'ollama'],
    ['image-workflows', '/v1/messages', 'comfyui'],
    ['webhooks', '/v1/messages', 'n8n'],
  ])('%s %s: %s', (api, path, dialect) => expect(dialectOf(api, path)).toBe(dialect));
});

describe('bodies', () => {
  const comfyui = (type: string) => ({
    error: { type, message: 'm', details: '', extra_info: {} },
    node_errors: {},
  });
  const openai = (type: string, code: string) => ({ error: { message: 'm', type, param: null, code } });
  const anthropic = (type: string) => ({ type: 'error', error: { type, message: 'm' } });

  it.each([
    [401, 'unauthorized', 'authentication_error', openai('invalid_request_error', 'invalid_api_key')],
    [403, 'forbidden', 'permission_error', openai('invalid_request_error', 'forbidden')],
    [429, 'rate_limited', 'rate_limit_error', openai('requests', 'rate_limit_exceeded')],
    [503, 'server_unavailable', 'overloaded_error', openai('server_error', 'server_unavailable')],
  ] as const)('%i', async (status, comfyuiType, anthropicType, openaiBody) => {
    const bodyOf = async (api: ApiName, path: string) => {
      const response = dialectErrorResponse(api, path, status, 'm');
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/json');
      return response.json();
    };
    expect(await bodyOf('local-models', '/api/chat')).toEqual({ error: 'm' });
    expect(await bodyOf('local-models', '/v1/models')).toEqual(openaiBody);
    expect(await bodyOf('local-models', '/v1/messages')).toEqual(anthropic(anthropicType));
    expect(await bodyOf('image-workflows', '/prompt')).toEqual(comfyui(comfyuiType));
    expect(await bodyOf('webhooks', '/api/v1/workflows')).toEqual({ code: status, message: 'm' });
  });
});

const headersOf = ({ headers }: Response) => Object.fromEntries(headers);

describe('headers', () => {
  it('of a server that cannot be reached', () => {
    const response = unavailableResponse('webhooks', '/', 'm', { retryAfter: 5, servedBy: 'tab' });
    expect(response.status).toBe(503);
    expect(headersOf(response)).toEqual({
      'content-type': 'application/json',
      'retry-after': '5',
      'cache-control': 'no-store',
      'x-tabd-served-by': 'tab',
    });
  });

  it('of a request without a key, and of a key that asks too often', () => {
    const common = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-tabd-served-by': 'node',
      'access-control-allow-origin': '*',
    };
    expect(headersOf(accessRefusedResponse('webhooks', '/', { status: 401, message: 'm' }))).toEqual({
      ...common,
      'www-authenticate': 'Bearer realm="tabd"',
    });
    expect(
      headersOf(accessRefusedResponse('webhooks', '/', { status: 429, message: 'm', retryAfter: 3 })),
    ).toEqual({
      ...common,
      'retry-after': '3',
    });
  });
});

it.each(['./dialect-error.ts', '../apis.ts'])(
  '%s imports no code, because the service worker carries it',
  (path) => {
    const source = readFileSync(new URL(path, import.meta.url), 'utf8');
    expect(source.match(/^import (?!type )/gm)).toBeNull();
  },
);
