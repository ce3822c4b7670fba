import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { connectBridgeTab } from '#test/support/network/bridge-tab.ts';
import { BRIDGE_PROTOCOL } from '../../bridge/pairing.ts';
import { parseArguments } from '../arguments.ts';
import { runCommand } from '../commands/index.ts';
import { serve } from './serve.ts';

vi.setConfig({ testTimeout: 60_000 });

let home: string;
const stops: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-serve-'));
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await rm(home, { recursive: true, force: true });
});

/** Serves until the test ends. */
async function start(...options: string[]) {
  const stop = new AbortController();
  let text = '';
  const out = { write: (more: string) => (text += more) };
  const args = parseArguments(['serve', '--ports', 'app=0,0,0,0', '--no-pull', ...options]);
  const io = { env: {}, out, stop: stop.signal, force: AbortSignal.timeout(50_000) };
  const done = serve({ ...args, home }, io);
  const end = () => {
    stop.abort();
    return Promise.allSettled([done]);
  };
  stops.push(end);
  await Promise.race([expect.poll(() => text, { timeout: 20_000 }).toContain('Ctrl+C stops.'), done]);
  const at = (label: string) => new RegExp(`${label} +(http\\S+)`).exec(text)?.[1] ?? '';
  return {
    text: () => text,
    page: at('page'),
    models: at('Ollama and OpenAI API'),
    images: at('ComfyUI API'),
    end,
  };
}

const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;

it('requires the key that it created, enforces its limits, and shows metrics with the key', async () => {
  const { page, models, images, text } = await start('--api-key', '--rate-limit', '2');
  const key = (await readFile(join(home, 'api-key'), 'utf8')).trim();
  expect(text()).toContain(key);
  const headers = { authorization: `Bearer ${key}` };
  expect(await status(`${models}/api/tags`)).toBe(401);
  expect(await status(`${images}/prompt`)).toBe(401);
  expect(await status(`${models}/api/tags`, { headers })).toBe(200);
  expect(await status(`${models}/api/version`, { headers })).toBe(200);
  const refused = await fetch(`${models}/v1/models`, { headers });
  expect([refused.status, (await refused.json()).error.code]).toEqual([429, 'rate_limit_exceeded']);
  expect(await status(`${page}/metrics`)).toBe(401);
  const metrics = await fetch(`${page}/metrics`, { headers });
  expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const counted = await metrics.text();
  expect(counted).toContain(
    'tabd_requests_total{api="local-models",route="/api/tags",method="GET",status="401"} 1',
  );
  expect(counted).toContain('tabd_queue_length{queue="image-workflows"} 0');
});

it('accepts the command line of its home, and another one that has the key', async () => {
  const key = 'a-key-of-sixteen-characters';
  const { models } = await start(`--api-key=${key}`);
  const list = async (env: NodeJS.ProcessEnv) => {
    let text = '';
    const out = { write: (more: string) => (text += more) };
    const io = { out, err: out, input: Readable.from([]), env, home };
    const args = parseArguments(['list', '--home', home]);
    await runCommand('list', args, { io, signal: new AbortController().signal });
    return text;
  };
  expect(await list({})).toContain('No models are installed');
  expect(await list({ OLLAMA_HOST: models, OLLAMA_API_KEY: key })).toContain('No models are installed');
  await expect(list({ OLLAMA_HOST: models })).rejects.toThrow(/requires a key/);
});

it('connects browsers by links of the command line, lists and revokes them', async () => {
  const { page, models } = await start('--via-tab');
  const tabs = async (...words: string[]) => {
    let text = '';
    const out = { write: (more: string) => (text += more) };
    const io = { out, err: out, input: Readable.from([]), env: {}, home };
    const args = parseArguments(['tabs', ...words, '--json', '--home', home]);
    await runCommand('tabs', args, { io, signal: new AbortController().signal });
    return JSON.parse(text);
  };
  for (const name of ['one', 'two']) {
    const { link } = await tabs('link');
    const token = link.slice(`${page}/#/bridge?token=`.length);
    await connectBridgeTab({
      port: Number(new URL(page).port),
      origin: page,
      server: { fetch: async () => new Response(name) },
      secrets: [`token.${token}`, `key.${name.repeat(10)}`],
      agent: 'Firefox/146.0 (Linux)',
    });
  }
  const [first, second] = (await tabs()).tabs;
  expect([first, second]).toMatchObject([
    { name: 'Firefox on Linux', home: true, state: 'connected' },
    { name: 'Firefox on Linux 2', home: false },
  ]);
  await tabs('rename', second.id, 'Phone');
  await tabs('home', 'Phone');
  expect(await (await fetch(`${models}/api/create`, { method: 'POST' })).text()).toBe('two');
  await tabs('revoke', 'Phone');
  expect((await tabs()).tabs).toMatchObject([{ name: 'Firefox on Linux', home: true }]);
  expect(await (await fetch(`${models}/api/create`, { method: 'POST' })).text()).toBe('one');
});

it('answers https with a certificate that devices can download', async () => {
  const { page, models, text } = await start('--https');
  const authority = await (await fetch(`${page}/tabd/authority.crt`)).text();
  expect(text()).toContain(page.replace('http:', 'https:'));
  const answer = await new Promise<string>((resolve, reject) => {
    request(
      `${models.replace('http:', 'https:')}/api/version`,
      { ca: authority, agent: false },
      (incoming) => {
        incoming.setEncoding('utf8').once('data', resolve);
      },
    )
      .on('error', reject)
      .end();
  });
  expect(JSON.parse(answer).version).toBeTruthy();
  expect(await status(`${models}/api/version`)).toBe(200);
});

it('accepts other computers with --listen, and redirects their visits to https', async () => {
  const { page, models, text } = await start('--listen', '0.0.0.0', '--https');
  expect(text()).toContain('listening on 0.0.0.0: other computers can use this server without a key');
  const ask = (address: string, headers: Record<string, string>) =>
    new Promise<{ status?: number; location?: string }>((resolve, reject) => {
      get(address, { headers }, ({ statusCode, headers: { location } }) =>
        resolve({ status: statusCode, location }),
      ).on('error', reject);
    });
  const elsewhere = (address: string) => `192.168.1.5:${new URL(address).port}`;
  expect(await ask(`${models}/api/version`, { host: elsewhere(models) })).toEqual({ status: 200 });
  expect(await ask(page, { host: elsewhere(page), accept: 'text/html' })).toEqual({
    status: 307,
    location: `https://${elsewhere(page)}/`,
  });
});

it('lets only the page switch to a tab; the choice survives a restart and can be reverted', async () => {
  const first = await start();
  const ask = (page: string, by: string, more: Record<string, string> = {}) =>
    fetch(`${page}/tabd/answering`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', origin: page, ...more },
      body: JSON.stringify({ by }),
    });
  expect(await (await fetch(`${first.page}/tabd/answering`)).json()).toEqual({
    by: 'node',
    connected: false,
  });
  const strangers: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    // A proxy has forwarded this request, and a client may send any header to it.
    { 'x-forwarded-for': '203.0.113.9' },
  ];
  for (const more of strangers) {
    expect((await ask(first.page, 'tab', more)).status).toBe(403);
  }
  expect((await ask(first.page, 'somebody')).status).toBe(400);
  const socketTo = (page: string, token: string) =>
    new Promise<string>((resolve) => {
      const protocols = [BRIDGE_PROTOCOL, `key.${'k'.repeat(32)}`, `token.${token}`];
      const socket = new WebSocket(`${page.replace('http', 'ws')}/tabd/bridge`, protocols, { origin: page });
      socket.once('open', () => resolve('open')).once('error', (error) => resolve(error.message));
    });
  expect(await socketTo(first.page, 'guess')).toContain('404');
  const state = (await (await ask(first.page, 'tab')).json()) as { link: string; token: string };
  expect(state.link).toBe(`${first.page}/#/bridge?token=${state.token}`);
  expect(await status(`${first.models}/api/version`)).toBe(503);
  expect(await socketTo(first.page, state.token)).toBe('open');
  await first.end();

  const second = await start();
  expect(second.text()).toContain('A tab answers the ports');
  expect(await status(`${second.models}/api/version`)).toBe(503);
  expect(await (await fetch(`${second.page}/metrics`)).text()).toContain('tabd_tab_connected 0');
  await ask(second.page, 'node');
  expect(await status(`${second.models}/api/version`)).toBe(200);
});

it.each([
  [['--rate-limit', '5'], /add --api-key/],
  [['--api-key=short'], /at least 16/],
  [['--api-key', '--parallel-limit', '0'], /whole number from 1 on/],
  [['--log-format', 'xml'], /text or json/],
])('refuses %j', async (options, message) => {
  await expect(start(...options)).rejects.toThrow(message);
});

it('logs JSON objects with --log-format json', async () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const stop = new AbortController();
  const args = parseArguments(['serve', '--ports', 'app=0,off,off,off', '--no-pull', '--log-format', 'json']);
  const out = { write: () => expect.unreachable() };
  const done = serve({ ...args, home }, { env: {}, out, stop: stop.signal, force: stop.signal });
  stops.push(() => {
    stop.abort();
    return Promise.allSettled([done]);
  });
  await Promise.race([
    expect.poll(() => written.join(''), { timeout: 20_000 }).toContain('Ctrl+C stops.'),
    done,
  ]);
  write.mockRestore();
  const lines = written.map((line) => JSON.parse(line) as { level: string; message: string; page?: string });
  expect(lines.find(({ message }) => message === 'serving')?.page).toMatch(/^http:\/\/localhost:\d+$/);
});
