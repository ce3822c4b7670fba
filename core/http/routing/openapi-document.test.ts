import { expect, it } from 'vitest';
import { openApiDocument } from './openapi-document.ts';
import requestFields from './request-fields.json' with { type: 'json' };

const handle = () => new Response();

it('describes routes with their parameters and fields', () => {
  const routes = [
    { method: 'GET', path: '/models/:folder/*path', handle },
    { method: 'POST', path: '/prompt', handle },
    { method: 'POST', path: '/api/prompt', handle },
    { method: '*', path: '/any', handle },
  ];
  const { paths } = openApiDocument('image-workflows', routes) as { paths: Record<string, object> };
  expect(Object.keys(paths)).toEqual(['/models/{folder}/{path}', '/prompt']);
  expect(paths['/models/{folder}/{path}']).toMatchObject({
    get: {
      parameters: [
        { name: 'folder', in: 'path' },
        { name: 'path', in: 'path' },
      ],
    },
  });
  expect(paths['/prompt']).toMatchObject({
    post: {
      requestBody: {
        content: { 'application/json': { schema: { properties: { prompt: { type: 'object' } } } } },
      },
    },
  });
});

it('knows fields by method and path', () => {
  for (const name of Object.keys(requestFields))
    expect(name).toMatch(/^(POST|PUT|PATCH|DELETE) \/[\w/{}-]+$/);
});
