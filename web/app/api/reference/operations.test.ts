import { expect, it } from 'vitest';
import { openApiDocument } from '#core/http/routing/openapi-document.ts';
import { exampleRequest, keyHeader, type OpenApiDocument, operationsOf } from './operations.ts';

const handle = async () => new Response();
const document = (api: 'local-models' | 'webhooks') =>
  openApiDocument(api, [
    { method: 'GET', path: '/api/tags', handle },
    { method: 'POST', path: '/api/chat', handle },
    { method: 'DELETE', path: '/api/v1/workflows/:id', handle },
    { method: 'GET', path: '/api/v1/workflows/:id', handle },
  ]) as unknown as OpenApiDocument;

it('lists the operations of a served document', () => {
  const operations = operationsOf(document('local-models'));
  expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/chat',
    'GET /api/tags',
    'GET /api/v1/workflows/{id}',
    'DELETE /api/v1/workflows/{id}',
  ]);
  expect(operations[0]!.fields.slice(0, 3)).toEqual([
    { name: 'model', type: 'string' },
    { name: 'messages', type: 'array' },
    { name: 'stream', type: 'boolean' },
  ]);
  expect(operations[2]).toMatchObject({ parameters: ['id'], fields: [] });
});

it('knows the header of the key', () => {
  expect(keyHeader(document('webhooks'))).toBe('X-N8N-API-KEY');
  expect(keyHeader(document('local-models'))).toBeUndefined();
});

it('makes an example with the fields that a request needs', () => {
  const [chat, tags] = operationsOf(document('local-models'));
  expect(JSON.parse(exampleRequest(chat!, 'm').body!)).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Why is the sky blue?' }],
    stream: false,
  });
  expect(exampleRequest(tags!, 'm')).toEqual({ method: 'GET', path: '/api/tags' });
});
