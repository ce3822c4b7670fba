import { describe, expect, it } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { parseJson } from '#core/http/json/parse-json.ts';
import { textEvent } from '#test/support/local-models/fake-text-service.ts';
import type { DialectEvent } from '../../respond.ts';
import { readResponsesRequest } from './request.ts';
import { type ResponseEvent, ResponseStream } from './response-stream.ts';

const DONE: DialectEvent = {
  type: 'done',
  reason: 'stop',
  statistics: {
    totalDuration: 1,
    loadDuration: 1,
    promptEvalCount: 12,
    promptEvalDuration: 1,
    evalCount: 16,
    evalDuration: 1,
  },
};
const calls = (...names: string[]): DialectEvent => ({
  type: 'tool-calls',
  calls: names.map((name) => ({ id: `call_${name}`, name, arguments: { b: 1, a: 2 } })),
});

function stream(body: object = {}) {
  const { echo } = readResponsesRequest(parseJson(JSON.stringify({ model: 'm', ...body })));
  let now = 100;
  return new ResponseStream('resp_1', echo, () => now++);
}

/** Replaces the random numbers of ids by letters, in the order of their appearance. */
function withLetters(events: ResponseEvent[]): Record<string, unknown>[] {
  const seen = new Map<string, string>();
  const printed = JSON.stringify(events).replace(/"(msg|rs|fc)_(\d+)/g, (_, kind, number) => {
    if (!seen.has(number)) seen.set(number, 'ABCDEF'[seen.size]!);
    return `"${kind}_${seen.get(number)}`;
  });
  return JSON.parse(printed);
}

function run(events: DialectEvent[], body?: object) {
  const responseStream = stream(body);
  return withLetters(events.flatMap((event) => responseStream.events(event)));
}

const PART = (content: string) => ({ annotations: [], logprobs: [], text: content, type: 'output_text' });
const message = (id: string, content: string) => ({
  content: [PART(content)],
  id,
  role: 'assistant',
  status: 'completed',
  type: 'message',
});
const reasoning = (id: string, summary: string) => ({
  encrypted_content: summary,
  id,
  summary: [{ text: summary, type: 'summary_text' }],
  type: 'reasoning',
});
const call = (id: string, name: string) => ({
  arguments: '{"b":1,"a":2}',
  call_id: `call_${name}`,
  id,
  name,
  status: 'completed',
  type: 'function_call',
});

/** The events of one message in the output. */
function messageEvents(output_index: number, id: string, pieces: string[]) {
  const place = { content_index: 0, item_id: id, output_index };
  const item = { ...message(id, ''), content: [], status: 'in_progress' };
  const complete = pieces.join('');
  return [
    { type: 'response.output_item.added', item, output_index },
    { type: 'response.content_part.added', ...place, part: PART('') },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, logprobs: [], text: complete },
    { type: 'response.content_part.done', ...place, part: PART(complete) },
    { type: 'response.output_item.done', item: message(id, complete), output_index },
  ];
}
/** The events of one reasoning item. */
function reasoningEvents(output_index: number, id: string, pieces: string[]) {
  const place = { item_id: id, output_index, summary_index: 0 };
  const complete = pieces.join('');
  return [
    { type: 'response.output_item.added', item: { id, summary: [], type: 'reasoning' }, output_index },
    { type: 'response.reasoning_summary_part.added', ...place, part: { text: '', type: 'summary_text' } },
    ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
    { type: 'response.reasoning_summary_text.done', ...place, text: complete },
    {
      type: 'response.reasoning_summary_part.done',
      ...place,
      part: { text: complete, type: 'summary_text' },
    },
    { type: 'response.output_item.done', item: reasoning(id, complete), output_index },
  ];
}
/** The events of one function call. */
function callEvents(output_index: number, id: string, name: string) {
  const item = call(id, name);
  const place = { item_id: id, output_index };
  return [
    {
      type: 'response.output_item.added',
      item: { ...item, arguments: '', status: 'in_progress' },
      output_index,
    },
    { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments },
    { type: 'response.function_call_arguments.done', ...place, arguments: item.arguments },
    { type: 'response.output_item.done', item, output_index },
  ];
}

describe('ResponseStream', () => {
  it.each<[string, DialectEvent[], object[], object[]]>([
    [
      'text',
      [textEvent('He'), textEvent('llo'), DONE],
      messageEvents(0, 'msg_A', ['He', 'llo']),
      [message('msg_A', 'Hello')],
    ],
    [
      'thinking, then text',
      [textEvent('', 'h'), textEvent('', 'm'), textEvent('Yes'), DONE],
      [...reasoningEvents(0, 'rs_A', ['h', 'm']), ...messageEvents(1, 'msg_B', ['Yes'])],
      [reasoning('rs_A', 'hm'), message('msg_B', 'Yes')],
    ],
    [
      'text, calls, text',
      [textEvent('So'), calls('f', 'g'), textEvent('Done'), DONE],
      [
        ...messageEvents(0, 'msg_A', ['So']),
        ...callEvents(1, 'fc_B_0', 'f'),
        ...callEvents(2, 'fc_B_1', 'g'),
        ...messageEvents(3, 'msg_C', ['Done']),
      ],
      [message('msg_A', 'So'), call('fc_B_0', 'f'), call('fc_B_1', 'g'), message('msg_C', 'Done')],
    ],
    ['nothing', [DONE], [], []],
  ])('%s', (_, events, expected, output) => {
    const streamed = run(events);
    expect(streamed.map((event) => event.sequence_number)).toEqual(streamed.map((_event, i) => i));
    expect(streamed.slice(0, 2)).toMatchObject([
      { type: 'response.created', response: { status: 'in_progress', output: [], completed_at: null } },
      { type: 'response.in_progress', response: { status: 'in_progress', output: [], usage: null } },
    ]);
    const between = streamed.slice(2, -1).map(({ sequence_number: _number, ...event }) => event);
    expect(between).toEqual(expected);
    expect(streamed.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        status: 'completed',
        created_at: 100,
        completed_at: 101,
        output,
        usage: {
          input_tokens: 12,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 16,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 28,
        },
      },
    });
  });

  it("prints members in alphabetical order, except in the client's schema", () => {
    const schema = { type: 'object', properties: { z: {}, a: {} } };
    const parameters = { type: 'object', properties: { z: { type: 'string', description: 'd' }, a: {} } };
    const [created] = run([DONE], {
      text: { format: { type: 'json_schema', name: 'x', strict: true, schema } },
      tools: [{ type: 'function', name: 'f', parameters }],
      reasoning: { effort: 'low' },
    });
    expect(JSON.stringify(created)).toBe(
      '{"response":{"background":false,"completed_at":null,"created_at":100,"error":null,"frequency_penalty":0,"id":"resp_1",' +
        '"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"metadata":{},"model":"m",' +
        '"object":"response","output":[],"parallel_tool_calls":true,"presence_penalty":0,"previous_response_id":null,' +
        '"prompt_cache_key":null,"reasoning":{"effort":"low","summary":null},"safety_identifier":null,"service_tier":"default",' +
        '"status":"in_progress","store":false,"temperature":1,' +
        `"text":{"format":{"name":"x","schema":${JSON.stringify(schema)},"strict":true,"type":"json_schema"}},` +
        '"tool_choice":"auto","tools":[{"description":null,"name":"f","parameters":{"properties":{"a":{},' +
        '"z":{"description":"d","type":"string"}},"type":"object"},"strict":null,"type":"function"}],' +
        '"top_logprobs":0,"top_p":1,"truncation":"disabled","usage":null},"sequence_number":0,"type":"response.created"}',
    );
  });

  it('reports a failure with the output so far, also before any output', () => {
    const responseStream = stream();
    const before = [textEvent('', 'hm'), textEvent('He')].flatMap((event) => responseStream.events(event));
    const failed = responseStream.fail(new ApiError(500, 'gone'));
    expect(failed).toMatchObject([
      {
        type: 'response.failed',
        sequence_number: before.length,
        response: {
          status: 'failed',
          error: { code: 'server_error', message: 'gone' },
          output: [{ type: 'reasoning' }],
          usage: null,
        },
      },
    ]);
    expect(stream().fail(new ApiError(400, 'too long'))).toMatchObject([
      { type: 'response.created' },
      { type: 'response.in_progress' },
      { type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'too long' } } },
    ]);
  });
});
