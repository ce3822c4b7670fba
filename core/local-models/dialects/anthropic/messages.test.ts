import { describe, expect, it } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { fakeServer } from '#test/support/local-models/fake-server.ts';
import { DONE, installed, textEvent } from '#test/support/local-models/fake-text-service.ts';
import type { RunEvent } from '../../runs/events.ts';

const M = 'smollm2:135m';
const PATH = '/v1/messages';
const HI = { model: M, max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }] };
const CALL: RunEvent = { type: 'tool-calls', calls: [{ id: 'call_1', name: 'f', arguments: { a: 1 } }] };
/** Replaces the random digits of ids. */
const withoutIds = (body: string) => body.replaceAll(/(msg|req)_[0-9a-f]{24}/g, '$1_N');
const error = (type: string, message: string) =>
  `{"type":"error","error":{"type":"${type}","message":${JSON.stringify(message)}},"request_id":"req_N"}`;

/** The request that a message request becomes. */
async function translate(body: object) {
  const { ask, service } = fakeServer();
  await ask('POST', PATH, { ...HI, ...body });
  return service.requests[0] as unknown as Record<string, unknown>;
}

describe('POST /v1/messages', () => {
  it('answers with one object', async () => {
    const response = await fakeServer().ask('POST', PATH, HI);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(withoutIds(await response.text())).toBe(
      `{"id":"msg_N","type":"message","role":"assistant","model":"${M}","content":[{"type":"text","text":"The end"}],"stop_reason":"end_turn","usage":{"input_tokens":16,"output_tokens":8}}\n`,
    );
  });

  it.each<[string, RunEvent[], unknown, string]>([
    ['nothing', [DONE], null, 'end_turn'],
    [
      'an answer at its limit of tokens',
      [textEvent('a'), { ...DONE, reason: 'length' } as RunEvent],
      [{ type: 'text', text: 'a' }],
      'max_tokens',
    ],
    [
      'thinking, text and a call',
      [textEvent('', 'hm'), textEvent('So'), CALL, DONE],
      [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'So' },
        { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } },
      ],
      'tool_use',
    ],
  ])('answers with %s', async (_, events, content, stopReason) => {
    const { ask, service } = fakeServer();
    service.events = events;
    expect(await (await ask('POST', PATH, HI)).json()).toMatchObject({ content, stop_reason: stopReason });
  });

  it('streams named events', async () => {
    const { ask, service } = fakeServer();
    service.events = [textEvent('The'), DONE];
    const response = await ask('POST', PATH, { ...HI, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const event = (type: string, rest: string) => `event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`;
    expect(withoutIds(await response.text())).toBe(
      [
        event(
          'message_start',
          `,"message":{"id":"msg_N","type":"message","role":"assistant","model":"${M}","content":[],"usage":{"input_tokens":1,"output_tokens":0}}`,
        ),
        event('content_block_start', ',"index":0,"content_block":{"type":"text","text":""}'),
        event('content_block_delta', ',"index":0,"delta":{"type":"text_delta","text":"The"}'),
        event('content_block_stop', ',"index":0'),
        event(
          'message_delta',
          ',"delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":16,"output_tokens":8}',
        ),
        event('message_stop', ''),
      ].join(''),
    );
  });

  it('reports an error in the middle of a stream as an event', async () => {
    const { ask, service } = fakeServer();
    service.events = async function* () {
      yield textEvent('The');
      throw new ApiError(500, 'the engine crashed');
    };
    const body = await (await ask('POST', PATH, { ...HI, stream: true })).text();
    expect(withoutIds(body)).toContain('"text":"The"');
    expect(withoutIds(body.split('\n\n').at(-2)!)).toBe(
      `event: error\ndata: ${error('api_error', 'the engine crashed')}`,
    );
  });

  it('translates all fields of a request', async () => {
    const { ask, service } = fakeServer();
    await ask('POST', PATH, {
      model: M,
      max_tokens: 5,
      system: [
        { type: 'text', text: 'Be ' },
        { type: 'text', text: 'terse.', cache_control: { type: 'ephemeral' } },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
            { type: 'text', text: 'What ' },
            { type: 'document', title: 'unknown' },
            { type: 'text', text: 'is it?' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'x' },
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'it' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Here.' },
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [
                { type: 'text', text: 'a cat' },
                { type: 'image', source: { type: 'base64', data: 'BAUG' } },
              ],
            },
          ],
        },
      ],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 3,
      stop_sequences: ['x'],
      tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'any' },
      metadata: { user_id: 'u' },
      thinking: { type: 'disabled' },
    });
    expect(service.requests).toEqual([
      {
        model: M,
        messages: [
          { role: 'system', content: 'Be terse.' },
          { role: 'user', content: 'What is it?', images: [Uint8Array.of(1, 2, 3)] },
          {
            role: 'assistant',
            content: 'Let me see.',
            thinking: 'hm',
            toolCalls: [{ id: 'toolu_1', name: 'look', arguments: { at: 'it' } }],
          },
          {
            role: 'tool',
            content: 'a cat',
            images: [Uint8Array.of(4, 5, 6)],
            toolCallId: 'toolu_1',
            toolName: 'look',
          },
          { role: 'user', content: 'Here.' },
        ],
        tools: [
          {
            type: 'function',
            function: { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } },
          },
        ],
        options: { num_predict: 5, temperature: 0.5, top_p: 0.9, top_k: 3, stop: ['x'] },
        think: false,
        truncate: true,
        shift: true,
        logprobs: false,
        topLogprobs: 0,
        debugRenderOnly: false,
      },
    ]);
  });

  it.each([
    [{}, undefined],
    [{ thinking: { type: 'enabled', budget_tokens: 9 } }, true],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }, 'medium'],
    [{ output_config: { effort: ' XHIGH' } }, 'high'],
    [{ output_config: { effort: 'none of these' } }, undefined],
  ])('reads the thinking of %j', async (body, think) => {
    const { ask, registry, service } = fakeServer();
    registry.models = [installed(M, { capabilities: ['completion', 'thinking'] })];
    await ask('POST', PATH, { ...HI, ...body });
    expect(service.requests[0]?.think).toBe(think);
  });

  it('leaves thinking out for a model that cannot think', async () => {
    expect(await translate({ thinking: { type: 'enabled' } })).toMatchObject({ think: undefined });
  });

  it('offers the web search instead of a function of the same name', async () => {
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      { name: 'web_search' },
      { name: 'f' },
    ];
    const chat = await translate({ tools });
    expect((chat.tools as { function: { name: string } }[]).map((tool) => tool.function.name)).toEqual([
      'web_search',
      'f',
    ]);
  });

  it('translates the results of searches to text', async () => {
    const result = (content: unknown) => ({ type: 'web_search_tool_result', tool_use_id: 's', content });
    const chat = await translate({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
            result([{ type: 'web_search_result', title: 'T', url: 'http://t' }]),
            result({ type: 'web_search_tool_result_error', error_code: 'unavailable' }),
          ],
        },
      ],
    });
    expect(chat.messages).toEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 's', name: 'web_search', arguments: { query: 'q' } }],
      },
      { role: 'tool', content: '- T: http://t\n', toolCallId: 's', toolName: 'web_search' },
      {
        role: 'tool',
        content: 'web_search_tool_result_error: unavailable',
        toolCallId: 's',
        toolName: 'web_search',
      },
    ]);
  });

  const withContent = (content: unknown) => ({ messages: [{ role: 'user', content }] });
  it.each([
    ['no body', undefined, 'EOF'],
    ['no model', { model: '' }, 'model is required'],
    ['no max_tokens', { max_tokens: 0 }, 'max_tokens is required and must be positive'],
    ['no messages', { messages: [] }, 'messages is required'],
    [
      'a wrong type',
      { max_tokens: 'x' },
      'json: cannot unmarshal string into Go struct field MessagesRequest.max_tokens of type int',
    ],
    [
      'content of a wrong type',
      withContent(1),
      'json: cannot unmarshal number into Go struct field MessagesRequest.messages of type []anthropic.ContentBlock',
    ],
    ['no content', withContent(undefined), 'unexpected end of JSON input'],
    [
      'the URL of an image',
      withContent([{ type: 'image', source: { type: 'url', url: 'http://127.0.0.1:9/' } }]),
      'invalid image source type: url. Only base64 images are supported.',
    ],
    [
      'a bad image',
      withContent([{ type: 'image', source: { type: 'base64', data: '!' } }]),
      'invalid base64 image data: illegal base64 data at input byte 0',
    ],
    ['an image without a source', withContent([{ type: 'image' }]), 'invalid image source'],
    [
      'a call without id',
      withContent([{ type: 'tool_use', name: 'f' }]),
      "tool_use block missing required 'id' field",
    ],
    [
      'a call without name',
      withContent([{ type: 'tool_use', id: 'f' }]),
      "tool_use block missing required 'name' field",
    ],
    [
      'a bad schema',
      { tools: [{ name: 'f', input_schema: { type: 1 } }] },
      'invalid input_schema for tool "f": json: cannot unmarshal number into Go struct field ToolFunctionParameters.type of type string',
    ],
  ])('refuses %s', async (_, body, message) => {
    const response = await fakeServer().ask('POST', PATH, body && { ...HI, ...body });
    expect([
      response.status,
      response.headers.get('content-type'),
      withoutIds(await response.text()),
    ]).toEqual([400, 'application/json; charset=utf-8', error('invalid_request_error', message)]);
  });

  it.each([
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [503, 'overloaded_error'],
    [500, 'api_error'],
  ])('gives an error with status %i the type %s', async (status, type) => {
    const { ask, service } = fakeServer();
    service.failure = new ApiError(status, 'why');
    for (const stream of [false, true]) {
      const response = await ask('POST', PATH, { ...HI, stream });
      expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json']);
      expect(withoutIds(await response.text())).toBe(`${error(type, 'why')}\n`);
    }
  });

  it('estimates the tokens of the prompt as Ollama does', async () => {
    const ask = (content: unknown, more: object) =>
      fakeServer()
        .ask('POST', PATH, { ...HI, messages: [{ role: 'user', content }], stream: true, ...more })
        .then((response) => response.text())
        .then((body) => Number(/"input_tokens":(\d+)/.exec(body)![1]));
    expect(await ask('What is the capital of France?', {})).toBe(8);
    // Bytes: role 4, block 61, name 1, description 1, schema 17.
    const call = [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Rome' } }];
    expect(
      await ask(call, { tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' } }] }),
    ).toBe(Math.floor((4 + JSON.stringify(call[0]).length + 1 + 1 + 17) / 4));
  });
});
