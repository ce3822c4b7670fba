/**
 * The app's page as a client of the ports, which its picker calls "this computer". Requests follow a browser's rules: a
 * preflight precedes them, and CORS headers must allow reading the answer.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ComputerConnection } from '#web/app/servers/computer-connection.ts';
import { findComputerOrigins } from '#web/app/servers/computer-origins.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

let home: string;
let shim: RunningShim;
let page: string;
let computer: ComputerConnection;
const reached: boolean[] = [];

beforeAll(async () => {
  home = await makeHome([]);
  shim = await startShim(home);
  page = `http://localhost:${shim.ports.app}`;
  const origins = await findComputerOrigins({ hostname: 'localhost', protocol: 'http:' }, browser);
  computer = new ComputerConnection(origins!, (yes) => reached.push(yes), browser);
});
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

const SIMPLE_METHODS = ['GET', 'HEAD', 'POST'];
const SIMPLE_TYPE = /^(text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)/;

/** `fetch` of the page, with a browser's rules. */
const browser: typeof fetch = async (input, init = {}) => {
  const address = new URL(String(input), `${page}/`);
  const method = init.method ?? 'GET';
  const headers = new Headers(init.headers);
  if (typeof init.body === 'string' && !headers.has('content-type'))
    headers.set('content-type', 'text/plain');
  if (address.origin === page) {
    headers.set('origin', page);
    headers.set('sec-fetch-site', 'same-origin');
    return fetch(address, { ...init, headers });
  }
  const special = [...headers].filter(([name, value]) => name !== 'content-type' || !SIMPLE_TYPE.test(value));
  if (special.length > 0 || !SIMPLE_METHODS.includes(method))
    await preflight(
      address,
      method,
      special.map(([name]) => name),
    );
  headers.set('origin', page);
  const response = await fetch(address, { ...init, headers });
  if (!opensTo(response)) throw new TypeError(`${method} ${address} may not be read by the page`);
  return response;
};

async function preflight(address: URL, method: string, names: string[]): Promise<void> {
  const preflight = {
    'access-control-request-method': method,
    'access-control-request-headers': names.join(','),
  };
  const answer = await fetch(address, { method: 'OPTIONS', headers: { origin: page, ...preflight } });
  const list = (name: string) => (answer.headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/);
  const methods = [
    ...SIMPLE_METHODS.map((method) => method.toLowerCase()),
    ...list('access-control-allow-methods'),
  ];
  const allowed =
    answer.ok &&
    opensTo(answer) &&
    methods.includes(method.toLowerCase()) &&
    names.every((name) => list('access-control-allow-headers').includes(name));
  if (!allowed) throw new TypeError(`${method} ${address} with ${names} may not be sent by the page`);
}

const opensTo = ({ headers }: Response) =>
  [page, '*'].includes(headers.get('access-control-allow-origin') ?? '');

const JSON_TYPE = { 'content-type': 'application/json' };
const CONTROL = { ...JSON_TYPE, 'x-n8n-api-key': 'this page' };

it.each([
  [200, 'GET', '/api/tags', {}],
  [200, 'GET', '/api/ps', {}],
  [404, 'POST', '/api/chat', { headers: JSON_TYPE, body: '{"model":"none"}' }],
  [404, 'POST', '/api/show', { headers: JSON_TYPE, body: '{"model":"none"}' }],
  [404, 'DELETE', '/api/delete', { body: '{"model":"none"}' }],
  [200, 'GET', '/object_info/KSampler', {}],
  [200, 'GET', '/history?max_items=5', {}],
  [400, 'POST', '/prompt', { body: '{"prompt":{}}' }],
  [200, 'POST', '/queue', { body: '{"delete":["none"]}' }],
  [404, 'GET', '/view?filename=none.png&subfolder=&type=output', {}],
  [404, 'DELETE', '/internal/files/output/none.png', {}],
  [200, 'GET', '/api/v1/workflows?limit=250', { headers: CONTROL }],
  [200, 'GET', '/api/v1/node-types', { headers: CONTROL }],
  [
    404,
    'PUT',
    '/api/v1/workflows/none',
    { headers: CONTROL, body: '{"name":"a","nodes":[],"connections":{}}' },
  ],
  [404, 'DELETE', '/api/v1/executions/1', { headers: CONTROL }],
] as const)('the page can read %d %s %s', async (status, method, path, init) => {
  const response = await computer.fetch(path, { method, ...init });
  expect([response.status, response.headers.get('x-tabd-served-by')]).toEqual([status, 'node']);
});

it('receives the messages about images on a socket', async () => {
  const address = `${computer.origins['image-workflows']!.replace('http', 'ws')}/ws?clientId=a`;
  const socket = new WebSocket(address, { origin: page });
  const first = await new Promise((resolve, reject) => {
    socket.once('message', resolve).once('error', reject);
  });
  expect(JSON.parse(String(first)).type).toBe('status');
  socket.close();
});

it('receives the image model that comes with the page', async () => {
  const pull = await computer.fetch('/api/pull', {
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"model":"emoji-128"}',
  });
  expect((await pull.text()).trim().split('\n').at(-1)).toBe('{"status":"success"}');
  const loader = await (await computer.fetch('/object_info/CheckpointLoaderSimple')).json();
  expect(loader.CheckpointLoaderSimple.input.required.ckpt_name[0]).toEqual(['emoji-128']);
});

it('reports that no server answers any more', async () => {
  expect(reached).not.toContain(false);
  await shim.stop();
  await expect(computer.fetch('/api/tags')).rejects.toThrow('does not answer');
  expect(reached.at(-1)).toBe(false);
});
