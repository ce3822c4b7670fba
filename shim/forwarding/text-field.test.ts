import { expect, it } from 'vitest';
import { TextField } from './text-field.ts';

const encoder = new TextEncoder();

function find(text: string, pieceSize = text.length + 1): string | undefined {
  const field = new TextField('model');
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += pieceSize) field.push(bytes.subarray(at, at + pieceSize));
  return field.value;
}

it.each([
  ['the first field', '{"model":"a:b","messages":[]}', 'a:b'],
  ['the last field, with spaces', '{ "stream" : false , "model" : "a" }', 'a'],
  ['another case of the name', '{"Model":"a"}', 'a'],
  [
    'a field after nested ones',
    '{"messages":[{"model":"no","content":"}]\\"{"}],"x":{"model":"no"},"model":"a"}',
    'a',
  ],
  ['a value that looks like the name', '{"prompt":"model","x":"model","model":"a"}', 'a'],
  ['escapes', '{"pro\\"mpt":"\\\\","model":"caf\\u00e9\\/x"}', 'café/x'],
  ['bytes of UTF-8', '{"prompt":"grün","model":"größe"}', 'größe'],
  ['no such field', '{"prompt":"model"}', undefined],
  ['a value that is no text', '{"model":7,"prompt":"x"}', undefined],
  ['a list', '["model","a"]', undefined],
  ['no JSON', 'model=a', undefined],
  ['a body that ends too early', '{"model":"a', undefined],
  ['the beginning of a body', '{"model":"a:1","messages":[', 'a:1'],
  ['escapes in a body that continues', '{"stream":true, "model" : "\\u00fc\\"x"', 'ü"x'],
  ['half a value', '{"model":"half', undefined],
  ['a number alone', '{"model":7}', undefined],
  ['a text', 'no json', undefined],
  ['a value that is too long', `{"model":"${'x'.repeat(5000)}"}`, undefined],
])('finds %s', (_what, text, value) => {
  for (const size of [1, 2, 7, text.length + 1]) expect(find(text, size)).toBe(value);
});
