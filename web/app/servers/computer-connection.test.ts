import { expect, it } from 'vitest';
import { ComputerConnection } from './computer-connection.ts';
import { findComputerOrigins } from './computer-origins.ts';

const origins = {
  'local-models': 'http://localhost:11434',
  'image-workflows': 'http://localhost:8188',
  webhooks: 'http://localhost:5678',
};

function computer(answer: (address: string, init?: RequestInit) => Response | Promise<Response>) {
  const requests: [string, string | null][] = [];
  const reached: boolean[] = [];
  const connection = new ComputerConnection(
    origins,
    (yes) => reached.push(yes),
    async (input, init) => {
      requests.push([String(input), new Headers(init?.headers).get('x-n8n-api-key')]);
      return answer(String(input), init);
    },
  );
  return { one: connection, asked: requests, reached };
}

it.each([
  ['GET', '/api/tags', 'http://localhost:11434/api/tags'],
  ['POST', '/v1/messages', 'http://localhost:11434/v1/messages'],
  ['GET', '/no/such/path', 'http://localhost:11434/no/such/path'],
  ['POST', '/prompt', 'http://localhost:8188/prompt'],
  ['GET', '/view?filename=a.png', 'http://localhost:8188/view?filename=a.png'],
  ['DELETE', '/internal/files/output/a.png', 'http://localhost:8188/internal/files/output/a.png'],
  ['POST', '/webhook/ask', 'http://localhost:5678/webhook/ask'],
])('sends %s %s to the port of its API', async (method, path, address) => {
  const { one: connection, asked: requests, reached } = computer(() => new Response());
  await connection.fetch(path, { method });
  expect(requests).toEqual([[address, null]]);
  expect(reached).toEqual([true]);
});

it('sends the key of its computer, and requests another one after status 401', async () => {
  let keyCount = 0;
  const { one: connection, asked: requests } = computer((address, init) => {
    if (address === '/tabd/webhooks-key') return Response.json({ apiKey: `key ${++keyCount}` });
    const good = keyCount === 1 || new Headers(init?.headers).get('x-n8n-api-key') === 'key 2';
    return new Response(null, { status: good && requests.length < 4 ? 200 : keyCount === 2 ? 200 : 401 });
  });
  const init = { headers: { 'x-n8n-api-key': 'this page' } };
  const at = 'http://localhost:5678/api/v1/workflows';
  expect((await connection.fetch('/api/v1/workflows', init)).status).toBe(200);
  expect((await connection.fetch('/api/v1/workflows', init)).status).toBe(200);
  expect((await connection.fetch('/api/v1/workflows', init)).status).toBe(200);
  expect(requests).toEqual([
    ['/tabd/webhooks-key', null],
    [at, 'key 1'],
    [at, 'key 1'],
    [at, 'key 1'],
    ['/tabd/webhooks-key', null],
    [at, 'key 2'],
  ]);
});

it('reports a computer that does not answer, but not an aborted request', async () => {
  const { one: connection, reached } = computer(() => Promise.reject(new TypeError('Failed to fetch')));
  await expect(connection.fetch('/api/tags')).rejects.toThrow('localhost:11434 does not answer');
  expect(reached).toEqual([false]);
  const signal = AbortSignal.abort();
  await expect(connection.fetch('/api/tags', { signal })).rejects.toThrow('Failed to fetch');
  expect(reached).toEqual([false]);
});

it('names an API whose port is closed', async () => {
  const { one: connection } = computer(() => new Response());
  connection.origins = { 'local-models': 'http://localhost:11434' };
  await expect(connection.fetch('/prompt', { method: 'POST' })).rejects.toThrow('image-workflows');
});

it('finds the open ports of the host of the page', async () => {
  const page = { hostname: 'localhost', protocol: 'http:' };
  const at = (answer: Response) => findComputerOrigins(page, async () => answer);
  expect(await at(Response.json({ 'local-models': 11436, webhooks: 5678 }))).toEqual({
    'local-models': 'http://localhost:11436',
    webhooks: 'http://localhost:5678',
  });
  expect(await at(Response.json({}))).toBeUndefined();
  expect(await at(new Response('<!doctype html>'))).toBeUndefined();
  expect(await at(new Response('', { status: 404 }))).toBeUndefined();
});
