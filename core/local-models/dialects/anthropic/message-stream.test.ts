import { describe, expect, it } from 'vitest';
import { textEvent } from '#test/support/local-models/fake-text-service.ts';
import type { ToolCall } from '../../base/messages.ts';
import type { DialectEvent } from '../respond.ts';
import { MessageStream } from './message-stream.ts';

const done = (reason: 'stop' | 'length' | 'load' = 'stop'): DialectEvent => ({
  type: 'done',
  reason,
  statistics: {
    totalDuration: 1,
    loadDuration: 1,
    promptEvalCount: 20,
    promptEvalDuration: 1,
    evalCount: 8,
    evalDuration: 1,
  },
});
const calls = (...names: string[]): DialectEvent => ({
  type: 'tool-calls',
  calls: names.map((name): ToolCall => ({ id: `call_${name}`, name, arguments: { query: 'x' } })),
});

const START = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 7, output_tokens: 0 },
  },
};
const begin = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const end = (stop_reason: string) => [
  { type: 'message_delta', delta: { stop_reason }, usage: { input_tokens: 20, output_tokens: 8 } },
  { type: 'message_stop' },
];
const use = (index: number, name: string) => [
  begin(index, { type: 'tool_use', id: `call_${name}`, name, input: {} }),
  delta(index, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
  stop(index),
];

describe('MessageStream', () => {
  it.each<[string, DialectEvent[], object[]]>([
    [
      'text',
      [textEvent('He'), textEvent('llo'), done()],
      [
        begin(0, { type: 'text', text: '' }),
        delta(0, { type: 'text_delta', text: 'He' }),
        delta(0, { type: 'text_delta', text: 'llo' }),
        stop(0),
        ...end('end_turn'),
      ],
    ],
    [
      'thinking, then text',
      [textEvent('', 'hm'), textEvent('Yes'), done('length')],
      [
        begin(0, { type: 'thinking', thinking: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'hm' }),
        stop(0),
        begin(1, { type: 'text', text: '' }),
        delta(1, { type: 'text_delta', text: 'Yes' }),
        stop(1),
        ...end('max_tokens'),
      ],
    ],
    [
      'text, calls, text',
      [textEvent('So:'), calls('f', 'g'), textEvent('Done.'), done()],
      [
        begin(0, { type: 'text', text: '' }),
        delta(0, { type: 'text_delta', text: 'So:' }),
        stop(0),
        ...use(1, 'f'),
        ...use(2, 'g'),
        begin(3, { type: 'text', text: '' }),
        delta(3, { type: 'text_delta', text: 'Done.' }),
        stop(3),
        ...end('tool_use'),
      ],
    ],
    [
      'thinking, then a call',
      [textEvent('', 'hm'), calls('f'), done()],
      [
        begin(0, { type: 'thinking', thinking: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'hm' }),
        stop(0),
        ...use(1, 'f'),
        ...end('tool_use'),
      ],
    ],
    ['nothing', [done()], end('end_turn')],
    ['a request that only loads the model', [done('load')], end('stop_sequence')],
    [
      'a function of the client with the name of the search',
      [calls('web_search'), done()],
      [...use(0, 'web_search'), ...end('tool_use')],
    ],
  ])('%s', (_, events, expected) => {
    const stream = new MessageStream('msg_1', 'm', 7, false);
    expect(events.flatMap((event) => stream.events(event))).toEqual([START, ...expected]);
  });

  it('ends with the error of a web search, and leaves later output out', () => {
    const stream = new MessageStream('msg_1', 'm', 7, true);
    const events = [textEvent('Let me look.'), calls('web_search', 'f'), textEvent('not shown'), done()];
    expect(events.flatMap((event) => stream.events(event))).toEqual([
      START,
      begin(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'Let me look.' }),
      stop(0),
      begin(1, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }),
      stop(1),
      begin(2, {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
      }),
      stop(2),
      ...end('end_turn'),
    ]);
  });
});
