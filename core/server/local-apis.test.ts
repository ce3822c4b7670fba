import { expect, test } from 'vitest';
import type { CallContext, Server } from '#core/http';
import { createLocalApis } from './local-apis.ts';

test.each([
  ['POST', '/api/chat', 'local-models'],
  ['GET', '/v1/models', 'local-models'],
  ['POST', '/prompt', 'image-workflows'],
  ['GET', '/users', 'image-workflows'],
  ['GET', '/api/v1/workflows', 'local-models'],
  ['POST', '/webhook/x', 'local-models'],
  ['GET', '/', 'local-models'],
])('%s %s reaches %s', async (method, path, listener) => {
  const calls: [Request, CallContext][] = [];
  const server = {
    fetch: async (...call: [Request, CallContext]) => {
      calls.push(call);
      return new Response('answer');
    },
  } as unknown as Server;
  const response = await createLocalApis(() => server).fetch(`${path}?a=1`, { method });
  expect(await response.text()).toBe('answer');
  const [[request, context]] = calls as [[Request, CallContext]];
  expect([request.method, request.url]).toEqual([method, `http://localhost${path}?a=1`]);
  expect(context).toEqual({ listener, loopback: true, clientAddress: '127.0.0.1', appOrigins: [] });
});
