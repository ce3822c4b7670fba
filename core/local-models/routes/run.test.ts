/** Runs as clients see them: lines, statistics, early response heads, errors and disconnects. */
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { HEAD_WITHIN } from '#core/http/responses/early-response-head.ts';
import { fakeServer } from '#test/support/local-models/fake-server.ts';
import { DONE, textEvent } from '#test/support/local-models/fake-text-service.ts';
import { RUNNER_STOPPED } from '../base/engine-errors.ts';
import type { RunEvent } from '../runs/events.ts';

const M = 'smollm2:135m';
const CHAT = { model: M, messages: [{ role: 'USER', content: 'hi' }] };
const AT = '"created_at":"2026-01-02T03:04:05.678125Z"';
const STATS =
  '"total_duration":159523928,"load_duration":558742,"prompt_eval_count":16,"prompt_eval_duration":8520000,"eval_count":8,"eval_duration":147967000';
const never = new Promise<never>(() => {});

/** Emits `events`, then waits until the run is canceled. */
const endless = (...events: RunEvent[]) =>
  async function* (signal: AbortSignal) {
    yield* events;
    signal.throwIfAborted();
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };

describe('POST /api/chat', () => {
  it("streams one line an event, with fields in Ollama's order", async () => {
    const { ask, service } = fakeServer();
    service.events = [
      textEvent('', 'hm'),
      textEvent('<b>'),
      { type: 'tool-calls', calls: [{ id: 'call_1', name: 'f', arguments: { a: 1 } }] },
      DONE,
    ];
    const response = await ask('POST', '/api/chat', CHAT);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(await response.text()).toBe(
      `{"model":"${M}",${AT},"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}\n` +
        `{"model":"${M}",${AT},"message":{"role":"assistant","content":"\\u003cb\\u003e"},"done":false}\n` +
        `{"model":"${M}",${AT},"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"f","arguments":{"a":1}}}]},"done":false}\n` +
        `{"model":"${M}",${AT},"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",${STATS}}\n`,
    );
  });

  it('sends one chunk a line', async () => {
    const { ask } = fakeServer();
    const reader = (await ask('POST', '/api/chat', CHAT)).body!.getReader();
    const chunks: string[] = [];
    for (let next = await reader.read(); !next.done; next = await reader.read())
      chunks.push(new TextDecoder().decode(next.value));
    expect(chunks).toHaveLength(3);
    for (const chunk of chunks) expect(chunk).toMatch(/^\{[^\n]*\}\n$/);
  });

  it('collects an answer into one object', async () => {
    const { ask, service } = fakeServer();
    const logprob = { token: 'A', bytes: [65], logprob: -0.5, top: [{ token: 'B', bytes: [], logprob: -1 }] };
    service.events = [{ ...textEvent('The'), logprobs: [logprob] } as RunEvent, textEvent(' end'), DONE];
    const response = await ask('POST', '/api/chat', { ...CHAT, stream: false });
    const body = await response.text();
    expect(body).toBe(
      `{"model":"${M}",${AT},"message":{"role":"assistant","content":"The end"},"done":true,"done_reason":"stop","logprobs":[{"token":"A","logprob":-0.5,"bytes":[65],"top_logprobs":[{"token":"B","logprob":-1}]}],${STATS}}`,
    );
    expect(response.headers.get('content-length')).toBe(String(body.length));
  });

  it('passes all fields of a request on', async () => {
    const { ask, service } = fakeServer();
    await ask('POST', '/api/chat', {
      ...CHAT,
      model: ' smollm2:135m:local ',
      messages: [
        { role: 'USER', content: 'a', images: ['AQID'] },
        { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: { x: [1] } } }] },
        { role: 'tool', tool_name: 'f', tool_call_id: 'c', content: 'b' },
      ],
      tools: [{ type: 'function', function: { name: 'f', extra: 1 } }],
      options: { num_predict: 3.7, temperature: 0, stop: ['x'], unknown: 1, seed: null },
      format: { type: 'object' },
      keep_alive: '1h30m',
      think: 'high',
      truncate: false,
      shift: false,
      logprobs: true,
      top_logprobs: 2,
      continue_final_message: true,
    });
    expect(service.requests[0]).toEqual({
      model: M,
      continuesLast: true,
      messages: [
        { role: 'user', content: 'a', images: [new Uint8Array([1, 2, 3])] },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'f', arguments: { x: [1] } }] },
        { role: 'tool', content: 'b', toolName: 'f', toolCallId: 'c' },
      ],
      tools: [{ type: 'function', function: { name: 'f', extra: 1 } }],
      options: { num_predict: 3, temperature: 0, stop: ['x'] },
      format: { type: 'object' },
      keepAlive: 5_400_000,
      think: 'high',
      truncate: false,
      shift: false,
      logprobs: true,
      topLogprobs: 2,
      debugRenderOnly: false,
    });
  });

  it.each([
    [-1, Number.POSITIVE_INFINITY],
    [0, 0],
    [2.5, 2500],
    ['-1m', Number.POSITIVE_INFINITY],
    ['0', 0],
    [1e300, Number.POSITIVE_INFINITY],
    [null, undefined],
  ])('reads keep_alive %j as %j ms', async (keep_alive, milliseconds) => {
    const { ask, service } = fakeServer();
    await ask('POST', '/api/chat', { ...CHAT, keep_alive });
    expect(service.requests[0]?.keepAlive).toBe(milliseconds);
  });

  it.each([
    [{ model: M }, 'load'],
    [{ model: M, messages: [], stream: true }, 'load'],
    [{ model: M, keep_alive: 0 }, 'unload'],
  ])('%j: one object with done_reason %s', async (body, reason) => {
    const response = await fakeServer().ask('POST', '/api/chat', body);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.text()).toBe(
      `{"model":"${M}",${AT},"message":{"role":"assistant","content":""},"done":true,"done_reason":"${reason}"}`,
    );
  });

  it('shows the rendered prompt on request', async () => {
    const response = await fakeServer().ask('POST', '/api/chat', { ...CHAT, _debug_render_only: true });
    expect(await response.text()).toBe(
      `{"model":"${M}",${AT},"message":{"role":"","content":""},"done":false,"_debug_info":{"rendered_template":"\\u003c|im_start|\\u003e"}}`,
    );
  });
});

describe('POST /api/generate', () => {
  it('ends the answer with the context, streamed or not', async () => {
    const { ask, service } = fakeServer();
    service.events = [textEvent('Hi', 'hm'), { ...DONE, context: [1, 2] } as RunEvent];
    const body = { model: M, prompt: 'x' };
    expect(await (await ask('POST', '/api/generate', body)).text()).toBe(
      `{"model":"${M}",${AT},"response":"Hi","thinking":"hm","done":false}\n` +
        `{"model":"${M}",${AT},"response":"","done":true,"done_reason":"stop","context":[1,2],${STATS}}\n`,
    );
    const unstreamed = await ask('POST', '/api/generate', { ...body, stream: false });
    expect(await unstreamed.text()).toBe(
      `{"model":"${M}",${AT},"response":"Hi","thinking":"hm","done":true,"done_reason":"stop","context":[1,2],${STATS}}`,
    );
  });

  it("treats the zero values that Ollama's own client sends as absent", async () => {
    const { ask, service } = fakeServer();
    await ask('POST', '/api/generate', {
      model: M,
      prompt: 'x',
      suffix: '',
      system: '',
      template: '',
      context: null,
      options: null,
      format: '',
      keep_alive: null,
    });
    expect(service.requests[0]).toEqual({
      model: M,
      prompt: 'x',
      raw: false,
      options: {},
      truncate: true,
      shift: true,
      logprobs: false,
      topLogprobs: 0,
      debugRenderOnly: false,
    });
  });
});

describe('errors', () => {
  it('answers with the status of an error before the first line, without charset when streamed', async () => {
    const { ask, service } = fakeServer();
    // biome-ignore lint/correctness/useYield: it fails before its first event
    service.events = async function* () {
      throw new ApiError(400, 'too long');
    };
    service.ready = never;
    const streamed = await ask('POST', '/api/chat', CHAT);
    expect([streamed.status, streamed.headers.get('content-type'), await streamed.text()]).toEqual([
      400,
      'application/json',
      '{"error":"too long"}',
    ]);
    const unstreamed = await ask('POST', '/api/chat', { ...CHAT, stream: false });
    expect([unstreamed.status, unstreamed.headers.get('content-type')]).toEqual([
      400,
      'application/json; charset=utf-8',
    ]);
  });

  it('reports an error in the middle of a stream in the last line', async () => {
    const { ask, service } = fakeServer();
    service.events = async function* () {
      yield textEvent('The');
      throw new ApiError(500, RUNNER_STOPPED);
    };
    const response = await ask('POST', '/api/chat', CHAT);
    const lines = (await response.text()).split('\n');
    expect(response.status).toBe(200);
    expect(lines.slice(1)).toEqual([JSON.stringify({ error: RUNNER_STOPPED }), '']);
    expect((await ask('POST', '/api/chat', { ...CHAT, stream: false })).status).toBe(500);
  });

  it('reports a run that ends early in the last line', async () => {
    const { ask, service } = fakeServer();
    service.events = [textEvent('The')];
    const lines = (await (await ask('POST', '/api/chat', CHAT)).text()).trim().split('\n');
    expect(JSON.parse(lines.at(-1)!)).toEqual({ error: RUNNER_STOPPED });
  });
});

describe('early response heads', () => {
  const later = () => {
    let release!: () => void;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { gate, release };
  };

  it.each([
    [true, 'application/x-ndjson', 3],
    [false, 'application/json; charset=utf-8', 1],
  ])('are sent after 15 s of loading (stream: %s)', async (stream, contentType, lines) => {
    const { ask, service, host } = fakeServer();
    const { gate, release } = later();
    service.ready = gate;
    service.events = async function* () {
      await gate;
      yield* [textEvent('The'), textEvent(' end'), DONE];
    };
    const answer = ask('POST', '/api/chat', { ...CHAT, stream });
    let settled = false;
    answer.then(() => {
      settled = true;
    });
    await vi.waitFor(() => expect(host.time!.pending).toBe(1));
    await host.time!.advance(HEAD_WITHIN - 1);
    expect(settled).toBe(false);
    await host.time!.advance(1);
    const response = await answer;
    expect([response.status, response.headers.get('content-type')]).toEqual([200, contentType]);
    release();
    const body = (await response.text()).trim().split('\n');
    expect(body).toHaveLength(lines);
    expect(JSON.parse(body.at(-1)!)).toMatchObject({ done: true });
    expect(host.time!.pending).toBe(0);
  });

  it('report a failed load in the body', async () => {
    const { ask, service, host } = fakeServer();
    const { gate, release } = later();
    service.ready = never;
    // biome-ignore lint/correctness/useYield: it fails before its first event
    service.events = async function* () {
      await gate;
      throw new ApiError(500, 'cannot load');
    };
    const answer = ask('POST', '/api/chat', CHAT);
    await vi.waitFor(() => expect(host.time!.pending).toBe(1));
    await host.time!.advance(HEAD_WITHIN);
    release();
    expect(await (await answer).text()).toBe('{"error":"cannot load"}\n');
  });

  it('precede the one object that answers a slow load', async () => {
    const { ask, service, host } = fakeServer();
    const { gate, release } = later();
    const find = service.registry.find.bind(service.registry);
    service.registry.find = async (name) => {
      await gate;
      return find(name);
    };
    const answer = ask('POST', '/api/chat', { model: M });
    await vi.waitFor(() => expect(host.time!.pending).toBe(1));
    await host.time!.advance(HEAD_WITHIN);
    release();
    const response = await answer;
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.text()).toMatch(/"done_reason":"load"\}$/);
  });

  it('are sent in a tab one second after an unstreamed run starts', async () => {
    const { ask, service, host } = fakeServer({ platform: 'tab' });
    service.events = endless(textEvent('The'));
    const answer = ask('POST', '/api/chat', { ...CHAT, stream: false });
    await vi.waitFor(() => expect(host.time!.pending).toBe(2));
    await host.time!.advance(1000);
    const response = await answer;
    await response.body!.cancel();
    expect(service.signals[0]!.aborted).toBe(true);
  });
});

describe('a client that disconnects', () => {
  it.each([true, false])('cancels the run by aborting the request (stream: %s)', async (stream) => {
    const { ask, service } = fakeServer();
    service.events = endless();
    service.ready = never;
    const client = new AbortController();
    const answer = ask('POST', '/api/chat', { ...CHAT, stream }, { signal: client.signal });
    await vi.waitFor(() => expect(service.signals).toHaveLength(1));
    client.abort();
    expect((await answer).status).toBe(499);
    expect(service.signals[0]!.aborted).toBe(true);
  });

  it('cancels the run by closing the response, and the run cleans up', async () => {
    const { ask, service } = fakeServer();
    let cleaned = false;
    service.events = async function* (signal) {
      try {
        yield* endless(textEvent('The'))(signal);
      } finally {
        cleaned = true;
      }
    };
    const reader = (await ask('POST', '/api/chat', CHAT)).body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(service.signals[0]!.aborted).toBe(true);
    await vi.waitFor(() => expect(cleaned).toBe(true));
  });
});
