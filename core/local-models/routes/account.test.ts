import { expect, it } from 'vitest';
import { startModelServer } from '#test/support/local-models/model-server.ts';

it.each([
  ['POST', '/api/me', {}, 503, 'account unavailable'],
  ['POST', '/api/signout', {}, 500, 'there was an error signing out'],
  ['DELETE', '/api/user/keys/abc', undefined, 500, 'there was an error signing out'],
  [
    'POST',
    '/api/experimental/web_search',
    { query: 'x' },
    403,
    'ollama cloud is disabled: web search is unavailable',
  ],
  [
    'POST',
    '/api/experimental/web_fetch',
    { url: 'x' },
    403,
    'ollama cloud is disabled: web fetch is unavailable',
  ],
  ['POST', '/api/experimental/web_search', undefined, 400, 'missing request body'],
])('%s %s answers as Ollama without a cloud', async (method, path, body, status, error) => {
  const { send } = await startModelServer();
  const response = await send(method, path, body);
  expect([response.status, await response.json()]).toEqual([status, { error }]);
});
