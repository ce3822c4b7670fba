import { describe, expect, test } from 'vitest';
import type { ToolCall } from '../../types.ts';
import { toolCallId, toolCallParser } from './index.ts';

const tools = ['get_weather', 'add'].map((name) => ({ type: 'function', function: { name } }));
const HERMES = 'say <tool_call>{"name": …}</tool_call>';
const BARE = 'answer with JSON only';

function parse(template: string, text: string, size: number) {
  const parser = toolCallParser(template, tools);
  const out = { text: '', calls: [] as ToolCall[] };
  const take = (pieces: ReturnType<typeof parser.push>) => {
    for (const piece of pieces) {
      if ('text' in piece) out.text += piece.text;
      else out.calls.push(...piece.calls);
    }
  };
  for (let at = 0; at < text.length; at += size) take(parser.push(text.slice(at, at + size)));
  take(parser.end());
  return out;
}

const weather = (city: string): ToolCall => ({ name: 'get_weather', arguments: { city } });

describe.each([1, 3, 1000])('in pieces of %i characters', (size) => {
  test.each<[string, string, string, ToolCall[]]>([
    [BARE, '{"name": "get_weather", "arguments": {"city": "Paris"}}', '', [weather('Paris')]],
    [BARE, ' \n{"name":"get_weather","parameters":{"city":"}{\\"]"}}\n', '', [weather('}{"]')]],
    [
      BARE,
      '{"type":"function","function":{"name":"add","parameters":{"a":1}}}',
      '',
      [{ name: 'add', arguments: { a: 1 } }],
    ],
    [
      BARE,
      '[{"name":"add","arguments":{}},{"name":"get_weather","arguments":{"city":"x"}}]',
      '',
      [{ name: 'add', arguments: {} }, weather('x')],
    ],
    [
      BARE,
      '{"name":"add","arguments":{}}\n{"name":"add","arguments":{}}',
      '',
      [
        { name: 'add', arguments: {} },
        { name: 'add', arguments: {} },
      ],
    ],
    [BARE, '{"name":"add"}; and then text', 'and then text', [{ name: 'add', arguments: {} }]],
    [BARE, '{"name":"unknown","arguments":{}}', '{"name":"unknown","arguments":{}}', []],
    [BARE, '{"answer": 4} is it', '{"answer": 4} is it', []],
    [BARE, '{"name": "get_weather", "argum', '{"name": "get_weather", "argum', []],
    [
      BARE,
      'The capital is {"name":"add","arguments":{}}',
      'The capital is {"name":"add","arguments":{}}',
      [],
    ],
    [BARE, '{"name":"add","arguments":"{\\"a\\":1}"}', '', [{ name: 'add', arguments: { a: 1 } }]],
    [
      HERMES,
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>',
      '',
      [weather('Rome')],
    ],
    [
      HERMES,
      'Let me see.\n<tool_call>{"name":"add","arguments":{}}</tool_call>\n<tool_call>{"name":"add","arguments":{}}</tool_call>\n',
      'Let me see.',
      [
        { name: 'add', arguments: {} },
        { name: 'add', arguments: {} },
      ],
    ],
    [HERMES, 'a <tool> b < c', 'a <tool> b < c', []],
    [HERMES, '<tool_call>not json</tool_call> rest', '<tool_call>not json</tool_call> rest', []],
    [HERMES, '<tool_call>{"name":"add","arguments":{}}', '', [{ name: 'add', arguments: {} }]],
    [HERMES, '<tool_call>{"name":"ad', '<tool_call>{"name":"ad', []],
    [HERMES, 'ends with space \n', 'ends with space \n', []],
  ])('%s: %j', (template, text, rest, calls) => {
    const parsed = parse(template, text, size);
    // White space between text and a call belongs to neither.
    expect(calls.length > 0 ? parsed.text.trim() : parsed.text).toBe(rest);
    expect(parsed.calls).toEqual(calls);
  });
});

test('nothing that may be a call is shown before that is decided', () => {
  const parser = toolCallParser(HERMES, tools);
  expect(parser.push('Hello')).toEqual([{ text: 'Hello' }]);
  expect(parser.push(' <tool_')).toEqual([]);
  expect(parser.push('box>')).toEqual([{ text: ' <tool_box>' }]);
});

test('ids have the form of the way of running', () => {
  expect(toolCallId(false)).toMatch(/^call_[a-z0-9]{8}$/);
  expect(toolCallId(true)).toMatch(/^[A-Za-z0-9]{32}$/);
});
