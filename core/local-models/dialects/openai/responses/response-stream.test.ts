import { describe, expect, it } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { parseJson } from '#core/http/json/parse-json.ts';
import { text } from '#test/support/fake-text-service.ts';
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

/** Numbers of ids become letters in the order of their appearance. */
function lettered(events: ResponseEvent[]): Record<string, unknown>[] {
  const seen = new Map<string, string>();
  const printed = JSON.stringify(events).replace(/"(msg|rs|fc)_(\d+)/g, (_, kind, number) => {
    if (!seen.has(number)) seen.set(number, 'ABCDEF'[seen.size]!);
    return `"${kind}_${seen.get(number)}`;
  });
  return JSON.parse(printed);
}

function run(events: DialectEvent[], body?: object) {
  const made = stream(body);
  return lettered(events.flatMap((event) => made.events(event)));
}

const PART = (said: string) => ({ annotations: [], logprobs: [], text: said, type: 'output_text' });
const message = (id: string, said: string) => ({
  content: [PART(said)],
  id,
  role: 'assistant',
  status: 'completed',
  type: 'message',
});
const reasoning = (id: string, said: string) => ({
  encrypted_content: said,
  id,
  summary: [{ text: said, type: 'summary_text' }],
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

/** The events of one item of the output. */
function said(output_index: number, id: string, pieces: string[]) {
  const place = { content_index: 0, item_id: id, output_index };
  const item = { ...message(id, ''), content: [], status: 'in_progress' };
  const whole = pieces.join('');
  return [
    { type: 'response.output_item.added', item, output_index },
    { type: 'response.content_part.added', ...place, part: PART('') },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, logprobs: [], text: whole },
    { type: 'response.content_part.done', ...place, part: PART(whole) },
    { type: 'response.output_item.done', item: message(id, whole), output_index },
  ];
}
function thought(output_index: number, id: string, pieces: string[]) {
  const place = { item_id: id, output_index, summary_index: 0 };
  const whole = pieces.join('');
  return [
    { type: 'response.output_item.added', item: { id, summary: [], type: 'reasoning' }, output_index },
    { type: 'response.reasoning_summary_part.added', ...place, part: { text: '', type: 'summary_text' } },
    ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
    { type: 'response.reasoning_summary_text.done', ...place, text: whole },
    { type: 'response.reasoning_summary_part.done', ...place, part: { text: whole, type: 'summary_text' } },
    { type: 'response.output_item.done', item: reasoning(id, whole), output_index },
  ];
}
function called(output_index: number, id: string, name: string) {
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

describe('the stream of a response', () => {
  it.each<[string, DialectEvent[], object[], object[]]>([
    ['text', [text('He'), text('llo'), DONE], said(0, 'msg_A', ['He', 'llo']), [message('msg_A', 'Hello')]],
    [
      'thinking, then text',
      [text('', 'h'), text('', 'm'), text('Yes'), DONE],
      [...thought(0, 'rs_A', ['h', 'm']), ...said(1, 'msg_B', ['Yes'])],
      [reasoning('rs_A', 'hm'), message('msg_B', 'Yes')],
    ],
    [
      'text, calls, text',
      [text('So'), calls('f', 'g'), text('Done'), DONE],
      [
        ...said(0, 'msg_A', ['So']),
        ...called(1, 'fc_B_0', 'f'),
        ...called(2, 'fc_B_1', 'g'),
        ...said(3, 'msg_C', ['Done']),
      ],
      [message('msg_A', 'So'), call('fc_B_0', 'f'), call('fc_B_1', 'g'), message('msg_C', 'Done')],
    ],
    ['nothing', [DONE], [], []],
  ])('%s', (_, events, expected, output) => {
    const made = run(events);
    expect(made.map((event) => event.sequence_number)).toEqual(made.map((_event, i) => i));
    expect(made.slice(0, 2)).toMatchObject([
      { type: 'response.created', response: { status: 'in_progress', output: [], completed_at: null } },
      { type: 'response.in_progress', response: { status: 'in_progress', output: [], usage: null } },
    ]);
    const between = made.slice(2, -1).map(({ sequence_number: _number, ...event }) => event);
    expect(between).toEqual(expected);
    expect(made.at(-1)).toMatchObject({
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

  it('has its members in alphabetical order, but for the schema of the client', () => {
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

  it('fails with the output so far, and also before anything was said', () => {
    const made = stream();
    const begun = [text('', 'hm'), text('He')].flatMap((event) => made.events(event));
    const failed = made.fail(new ApiError(500, 'gone'));
    expect(failed).toMatchObject([
      {
        type: 'response.failed',
        sequence_number: begun.length,
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
