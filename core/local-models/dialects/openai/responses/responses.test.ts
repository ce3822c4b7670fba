import { describe, expect, it } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import type { RunEvent } from '#core/local-models/runs/events.ts';
import { fakeServer } from '#test/support/local-models/fake-server.ts';
import { DONE, textEvent } from '#test/support/local-models/fake-text-service.ts';

const M = 'smollm2:135m';
const PATH = '/v1/responses';
const CALL: RunEvent = { type: 'tool-calls', calls: [{ id: 'call_1', name: 'f', arguments: { a: 1 } }] };
const SEARCH: RunEvent = {
  type: 'tool-calls',
  calls: [{ id: 'call_1', name: 'web_search', arguments: { query: 'x' } }],
};
/** Replaces the random digits of ids. */
const withoutIds = (body: string) => body.replaceAll(/"((?:rs_|fc_)?(?:resp|msg|rs|fc))_\d+/g, '"$1_N');

/** The chat that a request becomes. */
async function translate(body: object) {
  const { ask, service } = fakeServer();
  const response = await ask('POST', PATH, { model: M, ...body });
  expect(response.status).toBe(200);
  return service.requests[0] as unknown as Record<string, unknown>;
}

describe('POST /v1/responses', () => {
  it('answers with one object', async () => {
    const body = { model: M, input: 'Hi', max_output_tokens: 16, temperature: 0, user: 'ignored' };
    const response = await fakeServer().ask('POST', PATH, body);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(withoutIds(await response.text())).toBe(
      `{"id":"resp_N","object":"response","created_at":1767323045,"completed_at":1767323045,"status":"completed","incomplete_details":null,"model":"${M}","previous_response_id":null,"instructions":null,"output":[{"id":"msg_N","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"The end","annotations":[],"logprobs":[]}]}],"error":null,"tools":[],"tool_choice":"auto","truncation":"disabled","parallel_tool_calls":true,"text":{"format":{"type":"text"}},"top_p":1,"presence_penalty":0,"frequency_penalty":0,"top_logprobs":0,"temperature":0,"reasoning":null,"usage":{"input_tokens":16,"output_tokens":8,"total_tokens":24,"input_tokens_details":{"cached_tokens":0},"output_tokens_details":{"reasoning_tokens":0}},"max_output_tokens":16,"max_tool_calls":null,"store":false,"background":false,"service_tier":"default","metadata":{},"safety_identifier":null,"prompt_cache_key":null}\n`,
    );
  });

  it.each<[string, RunEvent[], string[]]>([
    ['a call alone', [CALL, DONE], ['function_call']],
    [
      'thinking, text and calls',
      [textEvent('', 'hm'), textEvent('So'), CALL, DONE],
      ['reasoning', 'message', 'function_call'],
    ],
    ['nothing', [DONE], ['message']],
  ])('answers with %s', async (_, events, types) => {
    const { ask, service } = fakeServer();
    service.events = events;
    const { id, output } = await (await ask('POST', PATH, { model: M, input: 'x' })).json();
    expect(output.map((item: { type: string }) => item.type)).toEqual(types);
    const ids: Record<string, string> = { reasoning: `rs_${id}`, function_call: `fc_${id}_0` };
    for (const item of output) if (item.type in ids) expect(item.id).toBe(ids[item.type]);
  });

  it('only loads the model when the input is empty', async () => {
    const { ask } = fakeServer();
    const { output, usage } = await (await ask('POST', PATH, { model: M, input: '' })).json();
    expect(output).toMatchObject([{ content: [{ text: '' }] }]);
    expect(usage).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
    const streamed = await (await ask('POST', PATH, { model: M, stream: true })).text();
    expect(streamed.match(/^event: .*/gm)).toEqual([
      'event: response.created',
      'event: response.in_progress',
      'event: response.completed',
    ]);
  });

  it('streams named events', async () => {
    const { ask } = fakeServer();
    const response = await ask('POST', PATH, { model: M, input: 'x', stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const body = withoutIds(await response.text());
    expect(body).toContain(
      'event: response.output_text.delta\ndata: {"content_index":0,"delta":" end","item_id":"msg_N","logprobs":[],"output_index":0,"sequence_number":5,"type":"response.output_text.delta"}\n\n',
    );
    expect(body.match(/^event: .*/gm)).toEqual(
      [
        'created',
        'in_progress',
        'output_item.added',
        'content_part.added',
        'output_text.delta',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'output_item.done',
        'completed',
      ].map((name) => `event: response.${name}`),
    );
    expect(body).not.toContain('[DONE]');
  });

  it('repeats fields of the request', async () => {
    const tool = { type: 'function', name: 'f', description: 'd', strict: true, parameters: { b: 1, a: 2 } };
    const { ask } = fakeServer();
    const body = {
      model: M,
      input: 'x',
      instructions: 'Be terse.',
      tools: [tool, { type: 'web_search', name: 'w' }],
      truncation: 'auto',
      background: true,
      reasoning: { effort: 'none' },
      top_p: 0.5,
      previous_response_id: 'resp_1',
    };
    const answer = await (await ask('POST', PATH, body)).json();
    expect(answer).toMatchObject({
      instructions: 'Be terse.',
      truncation: 'auto',
      background: true,
      reasoning: { effort: 'none' },
      top_p: 0.5,
      previous_response_id: null,
    });
    expect(JSON.stringify(answer.tools)).toBe(
      '[{"type":"function","name":"f","description":"d","strict":true,"parameters":{"a":2,"b":1}},{"name":"w","type":"web_search"}]',
    );
  });

  it('translates a conversation', async () => {
    const chat = await translate({
      instructions: 'Be terse.',
      input: [
        {
          role: 'User',
          content: [
            { type: 'input_text', text: 'Weather ' },
            { type: 'input_text', text: 'here?' },
            { type: 'input_image', image_url: 'data:image/png;base64,AQID', detail: 'auto' },
            { type: 'input_image', file_id: 'f' },
          ],
        },
        { type: 'reasoning', summary: [], encrypted_content: 'hm' },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":"sky"}' },
        { type: 'function_call', call_id: 'c2', name: 'feel', namespace: 'body', arguments: '' },
        { type: 'function_call_output', call_id: 'c1', output: '22C' },
        { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'warm' }] },
        { type: 'web_search_call', id: 'ws', status: 'completed' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Warm.' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'so' }] },
      ],
      max_output_tokens: 5,
      tools: [
        { type: 'function', name: 'look', description: 'Looks', parameters: { type: 'object' } },
        {
          type: 'namespace',
          name: 'body',
          tools: [
            { type: 'function', name: 'feel' },
            { type: 'function', name: 'body.x' },
          ],
        },
        { type: 'code_interpreter', container: {} },
      ],
      tool_choice: 'required',
      text: { format: { type: 'json_schema', name: 'p', schema: { type: 'object' } } },
      reasoning: { effort: 'minimal' },
    });
    const tool = (name: string, parameters: object, description?: string) => ({
      type: 'function',
      function: { name, description, parameters },
    });
    expect(chat).toEqual({
      model: M,
      messages: [
        { role: 'system', content: 'Be terse.' },
        { role: 'user', content: 'Weather here?', images: [Uint8Array.of(1, 2, 3)] },
        {
          role: 'assistant',
          content: '',
          thinking: 'hm',
          toolCalls: [
            { id: 'c1', name: 'look', arguments: { at: 'sky' } },
            { id: 'c2', name: 'body.feel', arguments: {} },
          ],
        },
        { role: 'tool', content: '22C', toolCallId: 'c1', toolName: 'look' },
        { role: 'tool', content: 'warm', toolCallId: 'c2', toolName: 'body.feel' },
        { role: 'assistant', content: 'Warm.' },
        { role: 'assistant', content: '', thinking: 'so' },
      ],
      tools: [
        tool('look', { type: 'object' }, 'Looks'),
        tool('body.feel', { type: 'object', properties: {} }),
        tool('body.x', { type: 'object', properties: {} }),
      ],
      options: { temperature: 1, num_predict: 5 },
      format: { type: 'object' },
      think: 'low',
      truncate: true,
      shift: true,
      logprobs: false,
      topLogprobs: 0,
      debugRenderOnly: false,
    });
  });

  it.each([
    [{ input: 'x', text: { format: { type: 'json_object' } } }, { format: 'json' }],
    [{ input: 'x', text: { format: { type: 'text' } } }, { format: undefined }],
    [{ input: 'x', temperature: 0, top_p: 0.5 }, { options: { temperature: 0, top_p: 0.5 } }],
  ])('reads %j', async (body, expected) => {
    expect(await translate(body)).toMatchObject(expected);
  });

  it.each([false, true])('fails when the model calls the web search (stream: %s)', async (stream) => {
    const { ask, service } = fakeServer();
    service.events = [textEvent('Let me look.'), SEARCH, DONE];
    const tools = [{ type: 'web_search' }, { type: 'function', name: 'web_search' }];
    const response = await ask('POST', PATH, { model: M, input: 'x', stream, tools });
    expect(service.requests[0]).toMatchObject({ tools: [{ function: { name: 'web_search' } }] });
    const body = await response.text();
    expect([response.status, body]).toEqual([
      stream ? 200 : 403,
      expect.stringContaining('ollama cloud is disabled: web search is unavailable'),
    ]);
    if (stream) expect(body.match(/^event: .*/gm)?.at(-1)).toBe('event: response.failed');
  });

  it('reports an error in the middle of a stream as an event', async () => {
    const { ask, service } = fakeServer();
    service.events = async function* () {
      yield textEvent('The');
      throw new ApiError(500, 'the engine crashed');
    };
    const body = await (await ask('POST', PATH, { model: M, input: 'x', stream: true })).text();
    const last = body.trimEnd().split('\n\n').at(-1)!;
    expect(last).toMatch(/^event: response\.failed\ndata: /);
    expect(last).toContain('"error":{"code":"server_error","message":"the engine crashed"}');
  });

  const piece = (content: unknown) => ({ input: [{ role: 'user', content }] });
  const tools = (tool: object) => ({ input: 'x', tools: [tool] });
  it.each([
    ['no body', undefined, 'EOF'],
    [
      'a number',
      { input: 1 },
      'input must be a string or array: json: cannot unmarshal number into Go value of type []json.RawMessage',
    ],
    ['an unknown item', { input: [{ type: 'zzz' }] }, 'input[0]: unknown input item type: "zzz"'],
    ['an item without a type', { input: [{ foo: 1 }] }, "input[0]: input item missing required 'type' field"],
    [
      'an item of a wrong type',
      { input: ['x'] },
      'input[0]: json: cannot unmarshal string into Go value of type struct { Type string "json:\\"type\\""; Role string "json:\\"role\\"" }',
    ],
    ['unknown content', piece([{ type: 'zzz' }]), 'input[0]: content[0]: unknown content type: zzz'],
    [
      'content of a wrong type',
      piece(1),
      'input[0]: content must be a string or array: json: cannot unmarshal number into Go value of type []json.RawMessage',
    ],
    ['a file', piece([{ type: 'input_file', file_data: 'x' }]), 'file inputs are not currently supported'],
    [
      'the URL of an image',
      piece([{ type: 'input_image', image_url: 'http://127.0.0.1/' }]),
      'image URLs are not currently supported, please use base64 encoded data instead',
    ],
    [
      'text of a wrong type',
      piece([{ type: 'input_text', text: 1 }]),
      'input[0]: content[0]: json: cannot unmarshal number into Go struct field ResponsesTextContent.text of type string',
    ],
    [
      'arguments that are not JSON',
      { input: [{ type: 'function_call', name: 'f', arguments: 'nojson' }] },
      "failed to parse function call arguments: invalid character 'o' in literal null (expecting 'u')",
    ],
    [
      'output of a wrong type',
      { input: [{ type: 'function_call_output', output: 1 }] },
      'input[0]: output must be a string or array: json: cannot unmarshal number into Go value of type []json.RawMessage',
    ],
    [
      'bad parameters of a tool',
      tools({ type: 'function', name: 'f', parameters: { type: 1 } }),
      'failed to unmarshal tool parameters: json: cannot unmarshal number into Go struct field ToolFunctionParameters.type of type string',
    ],
    [
      'a tool of a wrong type',
      tools({ type: 1 }),
      'json: cannot unmarshal number into Go struct field ResponsesTool.tools.type of type string',
    ],
    [
      'an unknown effort',
      { input: 'x', reasoning: { effort: 'huge' } },
      'invalid reasoning value: "huge" (must be "minimal", "low", "medium", "high", "xhigh", "ultra", "max", or "none")',
    ],
  ])('refuses %s', async (_, body, message) => {
    const response = await fakeServer().ask('POST', PATH, body && { model: M, ...body });
    expect([response.status, response.headers.get('content-type'), (await response.json()).error]).toEqual([
      400,
      'application/json; charset=utf-8',
      { message, type: 'invalid_request_error', param: null, code: null },
    ]);
  });

  it.each([false, true])('answers an error before the stream as JSON (stream: %s)', async (stream) => {
    const response = await fakeServer().ask('POST', PATH, { model: 'nope', input: 'x', stream });
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      404,
      'application/json',
      `{"error":{"message":"model 'nope' not found","type":"not_found_error","param":null,"code":null}}\n`,
    ]);
    expect(response.headers.get('cache-control')).toBe(stream ? 'no-cache' : null);
  });
});
