import { describe, expect, it } from 'vitest';
import { parseJson } from '#core/http/json/parse-json.ts';
import { decodeImageUrl, readContent } from './message-content.ts';

const node = (value: unknown) => parseJson(JSON.stringify(value)).root;
const bytes = Uint8Array.of(1, 2, 3);

describe('readContent', () => {
  it('makes one message of text', () => {
    expect(readContent('user', node('Hi'), { thinking: 'hm' })).toEqual([
      { role: 'user', content: 'Hi', thinking: 'hm' },
    ]);
  });

  it('makes a message of each part, and gives the rest to the last one', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
      { type: 'image_url', image_url: 'data:;base64,AQID' },
      { type: 'input_audio', input_audio: { data: 'AQID', format: 'wav' } },
    ];
    expect(readContent('user', node(parts), { toolCallId: 'c' })).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: '', images: [bytes] },
      { role: 'user', content: '', images: [bytes] },
      { role: 'user', content: '', images: [bytes], toolCallId: 'c' },
    ]);
  });

  it('makes no message of an empty list', () => {
    expect(readContent('user', node([]), {})).toEqual([]);
  });

  it('allows no content next to tool calls', () => {
    const rest = { toolCalls: [] };
    const expected = [{ role: 'assistant', content: '', toolCalls: [] }];
    expect(readContent('assistant', undefined, rest)).toEqual(expected);
    expect(readContent('assistant', node(null), rest)).toEqual(expected);
  });

  it.each([
    [undefined, '<nil>'],
    [null, '<nil>'],
    [5, 'float64'],
    [true, 'bool'],
    [{}, 'map[string]interface {}'],
  ])('refuses %j by the name of its Go type', (value, type) => {
    expect(() => readContent('user', value === undefined ? undefined : node(value), {})).toThrow(
      `invalid message content type: ${type}`,
    );
  });

  it.each([
    [{ text: 'no type' }],
    [{ type: 'text', text: 1 }],
    [{ type: 'image_url', image_url: 1 }],
    [{ type: 'input_audio', input_audio: { data: '!' } }],
    [{ type: 'input_audio' }],
    ['text'],
  ])('refuses the part %j', (part) => {
    expect(() => readContent('user', node([part]), {})).toThrow('invalid message format');
  });

  it('reads the last of duplicate members', () => {
    const { root } = parseJson('[{"type":"zzz","type":"text","text":"a","text":"b"}]');
    expect(readContent('user', root, {})).toEqual([{ role: 'user', content: 'b' }]);
  });
});

describe('decodeImageUrl', () => {
  it.each(['', 'image/jpeg', 'image/jpg', 'image/png', 'image/webp'])('decodes data of type %j', (type) => {
    expect(decodeImageUrl(`data:${type};base64,AQID`)).toEqual(bytes);
  });

  it.each([
    'data:image/gif;base64,AQID',
    'data:image/png,AQID',
    'data:;base64,!',
    'AQID',
    'xdata:;base64,AQID',
  ])('refuses %s', (url) => {
    expect(() => decodeImageUrl(url)).toThrow('invalid image input');
  });

  it.each(['http://x/y.png', 'https://x/y.png'])('does not fetch %s', (url) => {
    expect(() => decodeImageUrl(url)).toThrow('image URLs are not currently supported');
  });
});
