import { describe, expect, it, vi } from 'vitest';
import { quickJsModule } from '#test/support/host/inline-sandbox.ts';
import type { FromThread, ToThread } from '../protocol.ts';
import { serveSandbox } from './serve.ts';

const LIMITS = { time: 100 };
const SHARED = {
  scope: '{"execution":{},"workflow":{},"parameters":{}}',
  nodes: {},
  timezone: 'UTC',
  now: 0,
};
const item = (index: number, json: object) => ({
  index,
  json: JSON.stringify(json),
  binary: '{}',
  origins: {},
});
const evaluation = (id: number, source: string, ...items: object[]): ToThread => ({
  type: 'evaluate',
  id,
  script: {
    source,
    as: 'value',
    shared: SHARED,
    items: (items.length > 0 ? items : [{}]).map((json, n) => item(n, json)),
  },
  limits: LIMITS,
});
const codeRun = (id: number, code: string): ToThread => ({
  type: 'code',
  id,
  script: {
    code,
    mode: 'allItems',
    shared: SHARED,
    items: [item(0, {})],
    continueOnFail: false,
    staticData: { global: '{}', node: '{}' },
  },
  limits: LIMITS,
});

/** A served thread. `early` are messages that arrive before it has started. */
async function serve(wasm: BufferSource | WebAssembly.Module, early: ToThread[] = []) {
  const posted: FromThread[] = [];
  let receive: (message: unknown) => void = () => {};
  const served = serveSandbox(
    {
      post: (message) => void posted.push(message as FromThread),
      onMessage: (listener) => {
        receive = listener;
      },
    },
    wasm,
  );
  for (const message of early) receive(message);
  await served;
  const answerTo = (id: number) =>
    vi.waitFor(() => {
      const answer = posted.find((message) => 'id' in message && message.id === id);
      expect(answer).toBeDefined();
      return answer;
    });
  return { posted, post: (message: unknown) => receive(message), answerTo };
}

describe('a sandbox thread', () => {
  it('reports that it is ready, after scripts that came early', async () => {
    const { posted } = await serve(await quickJsModule(), [evaluation(1, '(() => 1 + 1)')]);
    expect(posted).toEqual([{ type: 'done', id: 1, value: '[{"json":"2"}]' }, { type: 'ready' }]);
  });

  it('reports that it cannot start', async () => {
    const { posted } = await serve(new Uint8Array([1, 2, 3]));
    expect(posted).toEqual([{ type: 'unusable', message: expect.stringContaining('CompileError') }]);
  });

  it('answers pings and patterns before it has started', async () => {
    const { posted } = await serve(new Uint8Array([1]), [{ type: 'ping' }]);
    expect(posted[0]).toEqual({ type: 'pong' });
  });

  it('evaluates a script for each item', async () => {
    const { post, answerTo } = await serve(await quickJsModule());
    post(evaluation(3, '(() => $json.n * 2)', { n: 1 }, { n: 2 }));
    expect(await answerTo(3)).toEqual({ type: 'done', id: 3, value: '[{"json":"2"},{"json":"4"}]' });
  });

  it('is usable after a script that ran for too long', async () => {
    const { post, answerTo } = await serve(await quickJsModule());
    post(evaluation(1, '(() => { for (;;); })'));
    post(evaluation(2, '(() => 2)'));
    expect(await answerTo(1)).toMatchObject({ type: 'failed', failure: { kind: 'time' } });
    expect(await answerTo(2)).toEqual({ type: 'done', id: 2, value: '[{"json":"2"}]' });
  });

  it('is usable after a script that had to be stopped by force', async () => {
    const { post, answerTo } = await serve(await quickJsModule());
    post(evaluation(1, '(() => { for (;;) new Promise(() => { for (;;); }); })'));
    post(evaluation(2, '(() => 2)'));
    expect(await answerTo(1)).toMatchObject({ type: 'failed', failure: { kind: 'time' } });
    expect(await answerTo(2)).toEqual({ type: 'done', id: 2, value: '[{"json":"2"}]' });
  });

  it('is usable after a script that used up the memory', async () => {
    const { post, answerTo } = await serve(await quickJsModule());
    const greedy = evaluation(1, '(() => { const all = []; for (;;) all.push(new Uint8Array(1e7)); })');
    post({ ...greedy, limits: { time: 10_000 } });
    post(evaluation(2, '(() => 2)'));
    expect(await answerTo(1)).toEqual({
      type: 'failed',
      id: 1,
      failure: { kind: 'memory', message: 'it used too much memory (more than 128 MiB)' },
    });
    expect(await answerTo(2)).toEqual({ type: 'done', id: 2, value: '[{"json":"2"}]' });
  });

  it('runs code', async () => {
    const { post, answerTo } = await serve(await quickJsModule());
    post(codeRun(4, 'return [await 7]'));
    expect(await answerTo(4)).toEqual({ type: 'done', id: 4, value: { outcomes: [{ json: '[7]' }] } });
  });
});
