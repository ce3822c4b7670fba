import { expect, it } from 'vitest';
import { parseRawObject } from './raw-object.ts';

it.each([
  [{ a: 1 }, { a: 1 }],
  ['{"a":1}', { a: 1 }],
  ["{ 'a': 1, }", { a: 1 }],
  ['{ a: "b" // why\n}', { a: 'b' }],
  ['{"a": {"b": [1, 2', { a: { b: [1, 2] } }],
  ['{}', {}],
])('reads %j', (value, object) => expect(parseRawObject(value, 0)).toEqual(object));

it.each(['[1]', '5', 'null', '', ' ', '"text"', 'just words', 5, true, [1]])('refuses %j', (value) => {
  expect(() => parseRawObject(value, 2)).toThrow(
    "The 'JSON Output' in item 2 does not contain a valid JSON object",
  );
});

it.each([null, undefined])('refuses %s', (value) => {
  expect(() => parseRawObject(value, 0)).toThrow('Cannot convert undefined or null to object');
});

it('makes a field of __proto__, and no prototype', () => {
  const object = parseRawObject('{"__proto__":{"polluted":1}}', 0);
  expect(Object.keys(object)).toEqual(['__proto__']);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
