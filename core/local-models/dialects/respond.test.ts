import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { HEAD_WITHIN } from '#core/http/responses/early-response-head.ts';
import { fakeServer } from '#test/support/local-models/fake-server.ts';
import { DONE, textEvent } from '#test/support/local-models/fake-text-service.ts';
import { RUNNER_STOPPED } from '../base/engine-errors.ts';

const model = 'smollm2:135m';
const messages = [{ role: 'user', content: 'Hi' }];

/** For every dialect a request, and how it prints an error after the response head was sent: streamed, and as a body. */
const DIALECTS: [path: string, body: object, lateEvent: RegExp, lateBody: RegExp][] = [
  [
    '/v1/chat/completions',
    { model, messages },
    /^data: \{"error":\{"message":"cannot load","type":"api_error","param":null,"code":null\}\}\n\n$/,
    /^\{"error":\{"message":"cannot load"/,
  ],
  [
    '/v1/completions',
    { model, prompt: 'Hi' },
    /^data: \{"error":\{"message":"cannot load","type":"api_error","param":null,"code":null\}\}\n\n$/,
    /^\{"error":\{"message":"cannot load"/,
  ],
  [
    '/v1/responses',
    { model, input: 'Hi' },
    /^event: response\.created\n.*\n\nevent: response\.in_progress\n.*\n\nevent: response\.failed\ndata: .*"message":"cannot load".*\n\n$/,
    /^\{"error":\{"message":"cannot load"/,
  ],
  [
    '/v1/messages',
    { model, messages, max_tokens: 9 },
    /^event: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"cannot load"\},"request_id":"req_[0-9a-f]{24}"\}\n\n$/,
    /^\{"type":"error","error":\{"type":"api_error","message":"cannot load"\}/,
  ],
];

function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe.each(DIALECTS)('%s', (path, body, lateEvent, lateBody) => {
  it.each([
    [true, 'text/event-stream', lateEvent],
    [false, 'application/json', lateBody],
  ])('prints an error after an early response head (stream: %s)', async (stream, contentType, expected) => {
    const { ask, service, host } = fakeServer();
    const { open, opened } = gate();
    // biome-ignore lint/correctness/useYield: it fails before its first event
    service.events = async function* () {
      await opened;
      throw new ApiError(500, 'cannot load');
    };
    service.ready = new Promise(() => {});
    const answer = ask('POST', path, { ...body, stream });
    await vi.waitFor(() => expect(host.time!.pending).toBe(1));
    await host.time!.advance(HEAD_WITHIN);
    const response = await answer;
    expect([response.status, response.headers.get('content-type')]).toEqual([200, contentType]);
    open();
    expect(await response.text()).toMatch(expected);
  });

  it('cancels the run when the client disconnects', async () => {
    const { ask, service } = fakeServer();
    let cleaned = false;
    service.events = async function* (signal) {
      try {
        for (;;) {
          yield textEvent('more ');
          signal.throwIfAborted();
        }
      } finally {
        cleaned = true;
      }
    };
    const response = await ask('POST', path, { ...body, stream: true });
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(service.signals[0]?.aborted).toBe(true);
    await vi.waitFor(() => expect(cleaned).toBe(true));
  });

  it('treats a run without an end as a failure', async () => {
    const { ask, service } = fakeServer();
    service.events = [textEvent('The')];
    expect(await (await ask('POST', path, { ...body, stream: true })).text()).toContain(RUNNER_STOPPED);
    const response = await ask('POST', path, body);
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining(RUNNER_STOPPED)]);
  });

  it('reads nested values, and refuses those that would overflow the stack', async () => {
    const { ask } = fakeServer();
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const send = (levels: number) => {
      const parameters = deep(levels);
      const tool = `{"type":"function","name":"f","input_schema":${parameters},"parameters":${parameters},"function":{"name":"f","parameters":${parameters}}}`;
      return ask('POST', path, `${JSON.stringify(body).slice(0, -1)},"tools":[${tool}]}`);
    };
    expect((await send(490)).status).toBe(200);
    const refused = await send(9000);
    expect([refused.status, (await refused.json()).error.message]).toEqual([400, 'exceeded max depth']);
  });

  it('accepts any API key, and ignores unknown members', async () => {
    const { ask, service } = fakeServer();
    service.events = [textEvent('The end'), DONE];
    const headers = { authorization: 'Bearer anything', 'x-api-key': 'anything' };
    const sent = JSON.stringify({ ...body, unheard_of: { a: [1] }, keep_alive: 'x' });
    const response = await ask('POST', path, undefined, { body: sent, headers });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('The end')]);
    expect(service.requests[0]?.keepAlive).toBeUndefined();
  });
});
