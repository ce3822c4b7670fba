import { expect, it } from 'vitest';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';

const answer = async (request: Request) => {
  const { pathname, search } = new URL(request.url);
  if (pathname === '/list') return Response.json([{ id: 1 }, { id: 2 }]);
  if (pathname === '/text') return new Response('plain', { headers: { 'content-type': 'text/plain' } });
  if (pathname === '/missing') return Response.json({ message: 'no' }, { status: 404 });
  const type = request.headers.get('content-type')?.split(';')[0];
  return Response.json({ method: request.method, search, body: await request.text(), type });
};

async function run(path: string, parameters: Record<string, unknown> = {}, more: object = {}) {
  const { engine } = await openEngine({ fetch: answer });
  const node = { type: 'httpRequest', parameters: { url: `http://a.test${path}`, ...parameters }, ...more };
  const { outputs, error, items } = await runWebhookNode(engine, node, [{ name: 'Ann Lee' }]);
  await engine.close();
  return { json: outputs[0], error: error?.message, items: items[0] };
}

it.each([
  [
    { queryParametersUi: { parameter: [{ name: 'q', value: '={{ $json.name }}' }] } },
    { search: '?q=Ann%20Lee' },
  ],
  [
    { requestMethod: 'POST', bodyParametersUi: { parameter: [{ name: 'a', value: '1' }] } },
    { method: 'POST', body: '{"a":"1"}', type: 'application/json' },
  ],
  [
    {
      requestMethod: 'PUT',
      jsonParameters: true,
      bodyParametersJson: '{"x":1}',
      queryParametersJson: '{"q":"z"}',
    },
    { method: 'PUT', body: '{"x":1}', search: '?q=z' },
  ],
  [
    {
      requestMethod: 'POST',
      options: { bodyContentType: 'form-urlencoded' },
      bodyParametersUi: { parameter: [{ name: 'b', value: 'x y' }] },
    },
    { body: 'b=x%20y', type: 'application/x-www-form-urlencoded' },
  ],
  [
    {
      requestMethod: 'POST',
      jsonParameters: true,
      bodyParametersJson: '<a/>',
      options: { bodyContentType: 'raw', bodyContentCustomMimeType: 'text/xml' },
    },
    { body: '<a/>', type: 'text/xml' },
  ],
  [
    { requestMethod: 'POST', options: { bodyContentType: 'multipart-form-data' } },
    { type: 'multipart/form-data' },
  ],
])('sends %j', async (parameters, sent) =>
  expect((await run('/echo', parameters)).json).toMatchObject([sent]),
);

it('keeps a list in one item unless it is to be split', async () => {
  expect((await run('/list')).json).toEqual([[{ id: 1 }, { id: 2 }]]);
  expect((await run('/list', { options: { splitIntoItems: true } })).json).toEqual([{ id: 1 }, { id: 2 }]);
});

it('reads text, files and complete responses', async () => {
  const { json } = await run('/text', { responseFormat: 'string', dataPropertyName: 't' });
  expect(json).toEqual([{ t: 'plain' }]);
  const { items } = await run('/text', { responseFormat: 'file', dataPropertyName: 'f' });
  expect(items).toMatchObject([{ json: { name: 'Ann Lee' }, binary: { f: { fileName: 'text' } } }]);
  const full = await run('/missing', { options: { fullResponse: true, ignoreResponseCode: true } });
  expect(full.json).toMatchObject([{ body: { message: 'no' }, statusCode: 404 }]);
});

it('reports failures in the words of these versions', async () => {
  expect((await run('/text')).error).toBe(
    'Response body is not valid JSON. Change "Response Format" to "String"',
  );
  expect((await run('/missing')).error).toBe('The resource you are requesting could not be found');
  const { json } = await run('/missing', {}, { onError: 'continueRegularOutput' });
  expect(json).toMatchObject([{ error: { message: '404 - {"message":"no"}', status: 404 } }]);
});
