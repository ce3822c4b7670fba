import { expect, it } from 'vitest';
import { Computer } from './computer-connection.ts';
import { portsOfComputer } from './ports.ts';

const origins = {
  'local-models': 'http://localhost:11434',
  'image-workflows': 'http://localhost:8188',
  webhooks: 'http://localhost:5678',
};

function computer(answer: (address: string, init?: RequestInit) => Response | Promise<Response>) {
  const asked: [string, string | null][] = [];
  const reached: boolean[] = [];
  const one = new Computer(
    origins,
    (yes) => reached.push(yes),
    async (input, init) => {
      asked.push([String(input), new Headers(init?.headers).get('x-n8n-api-key')]);
      return answer(String(input), init);
    },
  );
  return { one, asked, reached };
}

it.each([
  ['GET', '/api/tags', 'http://localhost:11434/api/tags'],
  ['POST', '/v1/messages', 'http://localhost:11434/v1/messages'],
  ['GET', '/no/such/path', 'http://localhost:11434/no/such/path'],
  ['POST', '/prompt', 'http://localhost:8188/prompt'],
  ['GET', '/view?filename=a.png', 'http://localhost:8188/view?filename=a.png'],
  ['DELETE', '/internal/files/output/a.png', 'http://localhost:8188/internal/files/output/a.png'],
  ['POST', '/webhook/ask', 'http://localhost:5678/webhook/ask'],
])('%s %s goes to the port that has it', async (method, path, address) => {
  const { one, asked, reached } = computer(() => new Response());
  await one.fetch(path, { method });
  expect(asked).toEqual([[address, null]]);
  expect(reached).toEqual([true]);
});

it('shows the key that its computer gives to this page, and asks for another when that is no longer good', async () => {
  let given = 0;
  const { one, asked } = computer((address, init) => {
    if (address === '/tabd/webhooks-key') return Response.json({ apiKey: `key ${++given}` });
    const good = given === 1 || new Headers(init?.headers).get('x-n8n-api-key') === 'key 2';
    return new Response(null, { status: good && asked.length < 4 ? 200 : given === 2 ? 200 : 401 });
  });
  const init = { headers: { 'x-n8n-api-key': 'this page' } };
  const at = 'http://localhost:5678/api/v1/workflows';
  expect((await one.fetch('/api/v1/workflows', init)).status).toBe(200);
  expect((await one.fetch('/api/v1/workflows', init)).status).toBe(200);
  expect((await one.fetch('/api/v1/workflows', init)).status).toBe(200);
  expect(asked).toEqual([
    ['/tabd/webhooks-key', null],
    [at, 'key 1'],
    [at, 'key 1'],
    [at, 'key 1'],
    ['/tabd/webhooks-key', null],
    [at, 'key 2'],
  ]);
});

it('says who does not answer; what a person stops is no such failure', async () => {
  const { one, reached } = computer(() => Promise.reject(new TypeError('Failed to fetch')));
  await expect(one.fetch('/api/tags')).rejects.toThrow('localhost:11434 does not answer');
  expect(reached).toEqual([false]);
  const signal = AbortSignal.abort();
  await expect(one.fetch('/api/tags', { signal })).rejects.toThrow('Failed to fetch');
  expect(reached).toEqual([false]);
});

it('names an API whose port is not open', async () => {
  const { one } = computer(() => new Response());
  one.origins = { 'local-models': 'http://localhost:11434' };
  await expect(one.fetch('/prompt', { method: 'POST' })).rejects.toThrow('image-workflows');
});

it('is where the page came from, at the ports that are open', async () => {
  const page = { hostname: 'localhost', protocol: 'http:' };
  const at = (answer: Response) => portsOfComputer(page, async () => answer);
  expect(await at(Response.json({ 'local-models': 11436, webhooks: 5678 }))).toEqual({
    'local-models': 'http://localhost:11436',
    webhooks: 'http://localhost:5678',
  });
  expect(await at(Response.json({}))).toBeUndefined();
  expect(await at(new Response('<!doctype html>'))).toBeUndefined();
  expect(await at(new Response('', { status: 404 }))).toBeUndefined();
});
