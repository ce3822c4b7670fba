import { describe, expect, it } from 'vitest';
import { parseJson } from '#core/http/json/parse-json.ts';
import type { Block } from './blocks.ts';
import { readHistory } from './history.ts';

const node = (value: unknown) => parseJson(JSON.stringify(value)).root;
const text = (content: string): Block => ({ type: 'text', text: content });
const use = (id: string, name = 'f'): Block => ({ type: 'tool_use', id, name, input: { a: 1 } });
const result = (tool_use_id: string, content: unknown): Block => ({
  type: 'tool_result',
  tool_use_id,
  content: node(content),
});
const search = (content: unknown): Block => ({ ...result('s', content), type: 'web_search_tool_result' });

describe('readHistory', () => {
  it('joins the texts of a message, and takes the last thinking', () => {
    const blocks = [
      text('a'),
      { type: 'thinking', thinking: 'x' },
      text('b'),
      { type: 'thinking', thinking: 'y' },
    ];
    expect(readHistory([{ role: 'assistant', blocks }])).toEqual([
      { role: 'assistant', content: 'ab', thinking: 'y' },
    ]);
  });

  it('leaves out messages without content', () => {
    expect(readHistory([{ role: 'user', blocks: [] }])).toEqual([]);
    expect(readHistory([{ role: 'user', blocks: [{ type: 'document' }, text('')] }])).toEqual([]);
  });

  it('puts the results of a user before the text, and those of an assistant after the calls', () => {
    const blocks = [use('1'), text('a'), result('1', 'r')];
    const roles = (role: string) => readHistory([{ role, blocks }]).map((message) => message.role);
    expect(roles('user')).toEqual(['tool', 'user']);
    expect(roles('assistant')).toEqual(['assistant', 'tool']);
  });

  it('names the tool of a result by the last call with its id', () => {
    const messages = readHistory([
      { role: 'assistant', blocks: [use('1', 'f'), use('1', 'g')] },
      { role: 'user', blocks: [result('1', 'r'), result('2', 's'), result('', 't')] },
    ]);
    expect(messages.slice(1)).toEqual([
      { role: 'tool', content: 'r', toolCallId: '1', toolName: 'g' },
      { role: 'tool', content: 's', toolCallId: '2' },
      { role: 'tool', content: 't', toolCallId: '' },
    ]);
  });

  it('reads the texts and images of a result, and ignores other blocks', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'zzz', text: 'ignored' },
      { type: 'image', source: { type: 'base64', data: 'AQID' } },
      'ignored',
      { type: 'text', text: 'b' },
    ];
    expect(readHistory([{ role: 'user', blocks: [result('1', content)] }])).toEqual([
      { role: 'tool', content: 'ab', images: [Uint8Array.of(1, 2, 3)], toolCallId: '1' },
    ]);
  });

  it.each([
    ['null', null, 'null'],
    ['text', 'found', 'found'],
    [
      'results',
      [{ type: 'web_search_result', title: 'T', url: 'u' }, { type: 'other' }, { type: 'web_search_result' }],
      '- T: u\n- : \n',
    ],
    [
      'an error with a code',
      { type: 'web_search_tool_result_error', error_code: 'x' },
      'web_search_tool_result_error: x',
    ],
    ['an error in a list', [{ type: 'web_search_tool_result_error' }], 'web_search_tool_result_error'],
    ['another object', { a: '<' }, '{"a":"\\u003c"}'],
  ])('prints the results of a web search: %s', (_, content, expected) => {
    const [message] = readHistory([{ role: 'user', blocks: [search(content)] }]);
    expect(message).toEqual({ role: 'tool', content: expected, toolCallId: 's' });
  });

  it.each<[string, Block, string]>([
    ['a call without an id', { type: 'tool_use', name: 'f' }, "tool_use block missing required 'id' field"],
    ['a call without a name', { type: 'tool_use', id: '1' }, "tool_use block missing required 'name' field"],
    ['an image without a source', { type: 'image' }, 'invalid image source'],
    [
      'an image without a source in a result',
      result('1', [{ type: 'image' }]),
      'invalid tool_result image source',
    ],
    [
      'the URL of an image',
      { type: 'image', source: { type: 'url', url: 'http://x' } },
      'invalid image source type: url. Only base64 images are supported.',
    ],
  ])('refuses %s', (_, block, message) => {
    expect(() => readHistory([{ role: 'user', blocks: [block] }])).toThrow(
      expect.objectContaining({ status: 400, message }),
    );
  });

  it('accepts calls of the web search without id and name', () => {
    expect(readHistory([{ role: 'assistant', blocks: [{ type: 'server_tool_use' }] }])).toEqual([
      { role: 'assistant', content: '', toolCalls: [{ id: '', name: '', arguments: {} }] },
    ]);
  });
});
