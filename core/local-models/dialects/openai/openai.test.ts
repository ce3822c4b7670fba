import { describe, expect, it } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { fakeServer } from '#test/support/local-models/fake-server.ts';
import { DONE, textEvent } from '#test/support/local-models/fake-text-service.ts';
import type { RunEvent } from '../../runs/events.ts';

const M = 'smollm2:135m';
const HI = [{ role: 'user', content: 'hi' }];
const PATH = '/v1/chat/completions';
const HEAD = (object: string) =>
  `"object":"${object}","created":1767323045,"model":"${M}","system_fingerprint":"fp_ollama"`;
/** Removes the random ids. */
const withoutIds = (body: string) => body.replaceAll(/"id":"chatcmpl-\d{1,3}",/g, '');
const CALLS: RunEvent = { type: 'tool-calls', calls: [{ id: 'call_1', name: 'f', arguments: { a: '<' } }] };

describe('POST /v1/chat/completions', () => {
  it('answers with one object', async () => {
    const { ask } = fakeServer();
    const response = await ask('POST', PATH, { model: M, messages: HI });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(withoutIds(await response.text())).toBe(
      `{${HEAD('chat.completion')},"choices":[{"index":0,"message":{"role":"assistant","content":"The end"},"finish_reason":"stop"}],"usage":{"prompt_tokens":16,"completion_tokens":8,"total_tokens":24}}\n`,
    );
  });

  it('streams with one id, the role only in the first delta, and [DONE] at the end', async () => {
    const { ask, service } = fakeServer();
    const logprobs = [{ token: 'x', bytes: [120], logprob: -1, top: [] }];
    service.events = [textEvent('', 'hm'), { ...textEvent('The'), logprobs } as RunEvent, DONE];
    const response = await ask('POST', PATH, { model: M, messages: HI, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const body = await response.text();
    expect(new Set(body.match(/chatcmpl-\d+/g)).size).toBe(1);
    const chunk = (rest: string) =>
      `data: {${HEAD('chat.completion.chunk')},"choices":[{"index":0,${rest}}]}\n\n`;
    expect(withoutIds(body)).toBe(
      chunk('"delta":{"role":"assistant","content":"","reasoning":"hm"},"finish_reason":null') +
        chunk(
          '"delta":{"content":"The"},"finish_reason":null,"logprobs":{"content":[{"token":"x","logprob":-1,"bytes":[120]}]}',
        ) +
        `${chunk('"delta":{},"finish_reason":"stop"')}data: [DONE]\n\n`,
    );
  });

  it('streams the usage in a chunk of its own on request', async () => {
    const { ask } = fakeServer();
    const body = { model: M, messages: HI, stream: true, stream_options: { include_usage: true } };
    const events = (await (await ask('POST', PATH, body)).text()).trim().split('\n\n');
    expect(withoutIds(events.at(-2)!)).toBe(
      `data: {${HEAD('chat.completion.chunk')},"choices":[],"usage":{"prompt_tokens":16,"completion_tokens":8,"total_tokens":24}}`,
    );
    expect(events.at(-1)).toBe('data: [DONE]');
    expect(events.filter((event) => event.includes('usage'))).toHaveLength(1);
  });

  it.each([true, false])('prints tool calls (stream: %s)', async (stream) => {
    const { ask, service } = fakeServer();
    service.events = [CALLS, CALLS, DONE];
    const body = await (await ask('POST', PATH, { model: M, messages: HI, stream })).text();
    const call = (index: number) =>
      `{"id":"call_1","index":${index},"type":"function","function":{"name":"f","arguments":"{\\"a\\":\\"\\\\u003c\\"}"}}`;
    for (const index of [0, 1]) expect(body).toContain(call(index));
    expect(body).toContain('"finish_reason":"tool_calls"');
  });

  it('translates all fields of a request', async () => {
    const { ask, service } = fakeServer();
    await ask('POST', PATH, {
      model: M,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
            { type: 'image_url', image_url: 'data:;base64,AQID' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '22C' },
      ],
      max_tokens: 5,
      seed: 7,
      stop: ['a', 1, 'b'],
      presence_penalty: 0.5,
      response_format: { type: 'json_schema', json_schema: { name: 'p', schema: { type: 'object' } } },
      reasoning_effort: 'xhigh',
      logprobs: true,
      top_logprobs: 2,
      n: 3,
    });
    const image = new Uint8Array([1, 2, 3]);
    expect(service.requests[0]).toEqual({
      model: M,
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: '', images: [image] },
        { role: 'user', content: '', images: [image] },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'f', arguments: { x: 1 } }] },
        { role: 'tool', content: '22C', toolName: 'f', toolCallId: 'c1' },
      ],
      tools: [],
      options: { temperature: 1, top_p: 1, stop: ['a', 'b'], num_predict: 5, seed: 7, presence_penalty: 0.5 },
      format: { type: 'object' },
      think: 'max',
      truncate: true,
      shift: true,
      logprobs: true,
      topLogprobs: 2,
      debugRenderOnly: false,
    });
  });

  it.each([
    [{ stop: 'x' }, { options: { temperature: 1, top_p: 1, stop: ['x'] } }],
    [{ temperature: 0, top_p: 0.5 }, { options: { temperature: 0, top_p: 0.5 } }],
    [{ response_format: { type: 'json_object' } }, { format: 'json' }],
    [{ response_format: { type: 'text' } }, { format: undefined }],
    [{ response_format: { type: 'json_schema' } }, { format: undefined }],
    [{ reasoning_effort: 'none' }, { think: false }],
    [{ reasoning: { effort: 'minimal' } }, { think: 'low' }],
  ])('%j becomes %j', async (more, expected) => {
    const { ask, service } = fakeServer();
    await ask('POST', PATH, { model: M, messages: HI, ...more });
    expect(service.requests[0]).toMatchObject(expected);
  });

  const user = (content: unknown) => ({ model: M, messages: [{ role: 'user', content }] });
  it.each([
    ['', 400, 'EOF'],
    ['{', 400, 'unexpected EOF'],
    [{ model: M }, 400, "[] is too short - 'messages'"],
    [{ model: M, messages: [] }, 400, "[] is too short - 'messages'"],
    [
      { model: 5 },
      400,
      'json: cannot unmarshal number into Go struct field ChatCompletionRequest.model of type string',
    ],
    [
      { model: M, stream_options: { include_usage: 1 } },
      400,
      'json: cannot unmarshal number into Go struct field StreamOptions.stream_options.include_usage of type bool',
    ],
    [user(null), 400, 'invalid message content type: <nil>'],
    [user(5), 400, 'invalid message content type: float64'],
    [user({}), 400, 'invalid message content type: map[string]interface {}'],
    [user([{ type: 'zzz' }]), 400, 'invalid message format'],
    [user(['x']), 400, 'invalid message format'],
    [user([{ type: 'text' }]), 400, 'invalid message format'],
    [
      user([{ type: 'image_url', image_url: { url: 'http://x/y.png' } }]),
      400,
      'image URLs are not currently supported, please use base64 encoded data instead',
    ],
    [
      user([{ type: 'image_url', image_url: { url: 'data:image/gif;base64,AAAA' } }]),
      400,
      'invalid image input',
    ],
    [user([{ type: 'image_url', image_url: { url: 'data:;base64,!' } }]), 400, 'invalid image input'],
    [
      { model: M, messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: 'nojson' } }] }] },
      400,
      'invalid tool call arguments',
    ],
    [
      { model: M, messages: HI, reasoning_effort: 'huge' },
      400,
      'invalid reasoning value: "huge" (must be "minimal", "low", "medium", "high", "xhigh", "ultra", "max", or "none")',
    ],
  ])('refuses %j with %d %s', async (body, status, message) => {
    const response = await fakeServer().ask('POST', PATH, body);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      status,
      'application/json; charset=utf-8',
      JSON.stringify({
        error: { message, type: 'invalid_request_error', param: null, code: null },
      }).replaceAll(/[<>]/g, (c) => (c === '<' ? '\\u003c' : '\\u003e')),
    ]);
  });

  it.each([
    [{ model: 'nope' }, 404, 'not_found_error', "model 'nope' not found"],
    [{ model: 'nope', stream: true }, 404, 'not_found_error', "model 'nope' not found"],
    [{ model: 'x:cloud' }, 403, 'api_error', 'ollama cloud is disabled: remote model is unavailable'],
    [{ model: '' }, 400, 'invalid_request_error', 'model is required'],
    [{ top_logprobs: 21 }, 400, 'invalid_request_error', 'top_logprobs must be between 0 and 20'],
  ])('fails for %j with %d, without a charset', async (more, status, type, message) => {
    const response = await fakeServer().ask('POST', PATH, { model: M, messages: HI, ...more });
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      status,
      'application/json',
      `${JSON.stringify({ error: { message, type, param: null, code: null } })}\n`,
    ]);
  });

  it('reports an error in the middle of a stream as an event, without [DONE]', async () => {
    const { ask, service } = fakeServer();
    service.events = async function* () {
      yield textEvent('The');
      throw new ApiError(500, 'crashed');
    };
    const body = await (await ask('POST', PATH, { model: M, messages: HI, stream: true })).text();
    expect(body.trim().split('\n\n').at(-1)).toBe(
      'data: {"error":{"message":"crashed","type":"api_error","param":null,"code":null}}',
    );
  });
});

describe('GET /v1/models', () => {
  it('lists models', async () => {
    const response = await fakeServer().ask('GET', '/v1/models');
    expect(await response.text()).toBe(
      `{"object":"list","data":[{"id":"${M}","object":"model","created":1795238300,"owned_by":"library"}]}\n`,
    );
  });
  it('finds a model, and repeats its name as the client spelled it', async () => {
    const response = await fakeServer().ask('GET', '/v1/models/SMOLLM2:135m');
    expect(await response.json()).toMatchObject({ id: 'SMOLLM2:135m', object: 'model' });
  });
  it('answers 404 for a missing model', async () => {
    const response = await fakeServer().ask('GET', '/v1/models/nope');
    expect([response.status, (await response.json()).error.message]).toEqual([
      404,
      "model 'nope:latest' not found",
    ]);
  });
});
