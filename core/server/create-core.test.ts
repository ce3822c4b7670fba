/** The core over a host in memory: effects of disconnects and crashes on running work, as clients see them. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Server } from '#core/http/routing/server.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { CALL } from '#test/support/local-models/fake-server.ts';
import { ScriptedEngine, type ScriptedOptions } from '#test/support/local-models/scripted-engine.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';
import { createCore } from './create-core.ts';

const M = 'smollm2:135m';
const CHAT = { model: M, messages: [{ role: 'user', content: 'hi' }] };
let open: Server | undefined;
afterEach(() => open?.close());

async function start(options: ScriptedOptions = {}) {
  const engine = new ScriptedEngine({ script: () => 'one two three four five six seven', ...options });
  const weights = tinyGguf();
  const host = createTestHost({
    clock: 'real',
    engines: [engine],
    sources: [
      {
        name: 'shim',
        locate: async () => [
          {
            role: 'weights',
            name: 'tiny.gguf',
            size: weights.length,
            open: async (offset) => new Blob([weights.subarray(offset)]).stream(),
          },
        ],
      },
    ],
  });
  const server = createCore(host).server;
  open = server;
  const ask = (path: string, body?: object, init: RequestInit = {}) =>
    server.fetch(
      new Request(`http://127.0.0.1:11434${path}`, {
        method: body ? 'POST' : 'GET',
        body: body && JSON.stringify(body),
        ...init,
      }),
      CALL,
    );
  expect(await (await ask('/api/pull', { model: M, stream: false })).text()).toBe('{"status":"success"}');
  return { engine, server, ask };
}

const lastLine = (text: string) => JSON.parse(text.trim().split('\n').at(-1)!);

describe('a client that disconnects', () => {
  it('stops the generation by cancelling the stream, and the next request is answered', async () => {
    const { engine, ask } = await start({ tokenDelay: 20 });
    const reader = (await ask('/api/chat', CHAT)).body!.getReader();
    await reader.read();
    await reader.cancel();
    await vi.waitFor(() => expect(engine.calls[0]!.outcome).toMatch(/aborted|returned/));
    expect(engine.calls[0]!.sent).toBeLessThan(7);
    expect(lastLine(await (await ask('/api/chat', CHAT)).text())).toMatchObject({ done: true });
  });

  it('stops a generation without a stream by aborting its request', async () => {
    const { engine, ask } = await start({ tokenDelay: 20 });
    const client = new AbortController();
    const answer = ask('/v1/chat/completions', CHAT, { signal: client.signal });
    await vi.waitFor(() => expect(engine.calls[0]?.sent).toBeGreaterThan(0));
    client.abort();
    expect((await answer).status).toBe(499);
    await vi.waitFor(() => expect(engine.calls[0]!.outcome).toMatch(/aborted|returned/));
  });

  it('leaves the queue', async () => {
    const { engine, ask } = await start({ tokenDelay: 30 });
    const first = ask('/api/chat', { ...CHAT, stream: false });
    await vi.waitFor(() => expect(engine.calls).toHaveLength(1));
    const client = new AbortController();
    const second = ask('/api/chat', CHAT, { signal: client.signal });
    client.abort();
    expect((await second).status).toBe(499);
    expect((await first).status).toBe(200);
    expect(engine.calls).toHaveLength(1);
  });
});

describe('a crash of the engine', () => {
  it('ends a stream with an error line, and a response without a stream with 500', async () => {
    const { engine, ask } = await start({ tokenDelay: 20 });
    const response = await ask('/api/chat', CHAT);
    const reader = response.body!.getReader();
    await reader.read();
    engine.models[0]!.crash();
    let rest = '';
    for (let next = await reader.read(); !next.done; next = await reader.read())
      rest += new TextDecoder().decode(next.value);
    expect(lastLine(rest).error).toMatch(/^model runner has unexpectedly stopped/);

    const unstreamed = ask('/api/chat', { ...CHAT, stream: false });
    await vi.waitFor(() => expect(engine.calls[1]?.sent).toBeGreaterThan(0));
    engine.models[1]!.crash();
    expect((await unstreamed).status).toBe(500);
    expect((await ask('/api/chat', CHAT)).status).toBe(200);
  });
});

it('lists loaded models and unloads one on request', async () => {
  const { ask } = await start();
  await (await ask('/api/chat', { model: M, keep_alive: -1 })).text();
  const { models } = await (await ask('/api/ps')).json();
  expect(models).toMatchObject([{ name: M, details: { family: 'llama' } }]);
  expect(Date.parse(models[0].expires_at)).toBeGreaterThan(Date.now() + 290 * 365 * 86_400_000);
  await (await ask('/api/chat', { model: M, keep_alive: 0 })).text();
  expect(await (await ask('/api/ps')).json()).toEqual({ models: [] });
});
