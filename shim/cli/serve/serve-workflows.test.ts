import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { smallWorkflow } from '#test/support/webhooks/control.ts';
import { parseArguments } from '../arguments.ts';
import { runCommand } from '../commands/index.ts';
import { serve } from './serve.ts';

// Each test starts a complete server, which takes a while on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

let home: string;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-serve-workflows-'));
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await rm(home, { recursive: true });
});

function terminal() {
  let text = '';
  return { write: (more: string) => (text += more), text: () => text };
}

async function start(...options: string[]) {
  const stop = new AbortController();
  const out = terminal();
  const args = parseArguments(['serve', '--no-pull', '--ports', 'app=0,0,0,0', ...options]);
  const done = serve(
    { ...args, home },
    { env: {}, out, stop: stop.signal, force: new AbortController().signal },
  );
  const end = async () => {
    stop.abort();
    await done;
  };
  stops.push(end);
  await Promise.race([expect.poll(out.text, { timeout: 10_000 }).toContain('Ctrl+C stops.'), done]);
  const address = (label: string) => new RegExp(`${label} +(http\\S+)`).exec(out.text())?.[1] ?? '';
  return { app: address('page'), webhooks: address('webhooks'), end };
}

function begin(env: NodeJS.ProcessEnv, ...argv: string[]) {
  const [out, err] = [terminal(), terminal()];
  const args = parseArguments([...argv, '--home', home]);
  const io = { out, err, input: Readable.from([]), env, home };
  const done = runCommand(args.command as 'list', args, { io, signal: new AbortController().signal });
  return { out, err, done };
}

async function tabd(...argv: string[]): Promise<string> {
  const { out, done } = begin({}, ...argv);
  await done;
  return out.text();
}

async function fileOf(workflow: object): Promise<string> {
  const path = join(home, '..', `${home.split('/').pop()}.json`);
  await writeFile(path, JSON.stringify(workflow));
  stops.push(() => rm(path, { force: true }));
  return path;
}

const post = (url: string, init: RequestInit = {}) =>
  fetch(url, {
    method: 'POST',
    body: '{"a":1}',
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });

it('imports a workflow and answers its webhook, also after a restart', async () => {
  const first = await start();
  const output = await tabd('workflow', 'import', await fileOf(smallWorkflow()), '--publish');
  expect(output).toContain(`POST ${first.webhooks}/webhook/orders`);
  const answer = await post(`${first.webhooks}/webhook/orders`);
  expect([answer.status, await answer.json()]).toEqual([200, { x: 1 }]);
  const key = (await tabd('key', 'create', 'ci')).trim();
  await first.end();
  stops.length = 0;

  // Without a server the commands open the home themselves.
  expect(await tabd('workflow', 'list')).toContain('published');
  const second = await start();
  expect((await post(`${second.webhooks}/webhook/orders`)).status).toBe(200);
  const list = await fetch(`${second.webhooks}/api/v1/workflows`, { headers: { 'X-N8N-API-KEY': key } });
  expect((await list.json()).data).toMatchObject([{ name: 'Orders', active: true }]);
  expect(await tabd('workflow', 'executions')).toMatch(/Orders +webhook +success/);
  await tabd('workflow', 'unpublish', 'Orders');
  expect((await post(`${second.webhooks}/webhook/orders`)).status).toBe(404);
});

it('lets workflows call the ports of this server, whatever their numbers, and no other program', async () => {
  const other = createServer((_request, response) => response.end('secret'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  stops.push(async () => void other.close());
  const { webhooks } = await start();
  const workflow = smallWorkflow();
  const request = {
    ...workflow.nodes.find(({ name }) => name === 'Edit')!,
    type: 'n8n-nodes-base.httpRequest',
    typeVersion: 4.2,
    parameters: { url: '={{ $json.body.url }}' },
  };
  const nodes = workflow.nodes.map((node) => (node.name === 'Edit' ? request : node));
  await tabd('workflow', 'import', await fileOf({ ...workflow, nodes }), '--publish');
  const call = (url: string) => post(`${webhooks}/webhook/orders`, { body: JSON.stringify({ url }) });
  expect((await call(`${webhooks}/healthz`)).status).toBe(200);
  const refused = await call(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  expect([refused.status, await refused.text()]).toEqual([500, expect.not.stringContaining('secret')]);
});

it('listens for one test call and shows its execution', async () => {
  const { webhooks } = await start();
  await tabd('workflow', 'import', await fileOf(smallWorkflow()));
  const listening = begin({}, 'workflow', 'listen', 'Orders');
  await expect.poll(listening.err.text).toContain(`listening: POST ${webhooks}/webhook-test/orders`);
  await expect.poll(async () => (await post(`${webhooks}/webhook-test/orders`)).status).toBe(200);
  await listening.done;
  expect(listening.out.text()).toMatch(
    /^run 1\nWebhook: success \(\d+ ms\)\n {2}\{"headers".*\nEdit: success .*\n {2}\{"x":1\}\n$/,
  );
  expect((await post(`${webhooks}/webhook-test/orders`)).status).toBe(404);
});

it('refuses the control API without a key', async () => {
  const { app, webhooks } = await start();
  const status = async (url: string, headers: Record<string, string>, method = 'GET') =>
    (await fetch(url, { method, headers })).status;
  const key = (await tabd('key', 'create')).trim();
  const withKey = { 'X-N8N-API-KEY': key };
  const workflows = `${webhooks}/api/v1/workflows`;
  expect(await status(workflows, {})).toBe(401);
  expect(await status(workflows, withKey)).toBe(200);
  expect(await status(workflows, { ...withKey, origin: 'https://evil.example' })).toBe(403);
  expect(await status(workflows, { ...withKey, origin: app })).toBe(200);
  // The command line's routes require its token, and only the page gets the page's key.
  expect(await status(`${app}/tabd/node/api/v1/workflows`, withKey)).toBe(401);
  expect(await status(`${app}/tabd/webhooks-key`, {}, 'POST')).toBe(403);
  expect(await status(`${app}/tabd/webhooks-key`, { 'sec-fetch-site': 'cross-site' }, 'POST')).toBe(403);
  const keyResponse = await post(`${app}/tabd/webhooks-key`, {
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const { apiKey } = await keyResponse.json();
  expect(await status(workflows, { 'X-N8N-API-KEY': apiKey, origin: app })).toBe(200);
  expect(await tabd('key', 'list')).not.toContain(apiKey.slice(-4));
});

it('manages another server with one of its keys', async () => {
  const { webhooks } = await start();
  const key = (await tabd('key', 'create')).trim();
  const list = (env: NodeJS.ProcessEnv) => begin(env, 'workflow', 'list', '--server', webhooks);
  const { out, done } = list({ TABD_API_KEY: key });
  await done;
  expect(out.text()).toContain('There are no workflows');
  await expect(list({}).done).rejects.toThrow('Unauthorized');
});

it('gives no key to a page that other computers can reach', async () => {
  const { app } = await start('--listen', '127.0.0.1');
  const keyResponse = await post(`${app}/tabd/webhooks-key`, {
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  expect(keyResponse.status).toBe(404);
});

it('stops at once although a client follows events', async () => {
  const { webhooks, end } = await start();
  const key = (await tabd('key', 'create')).trim();
  const events = await fetch(`${webhooks}/api/v1/events`, { headers: { 'X-N8N-API-KEY': key } });
  const begun = performance.now();
  await end();
  stops.length = 0;
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(await events.text()).toContain('"hello"');
});
