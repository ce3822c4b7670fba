import { expect, it } from 'vitest';
import { JsonSyntaxError } from '#core/http/json/json-nodes.ts';
import { isPythonObject, parsePythonJson } from './python-value.ts';

it('reads integers exactly and other numbers as doubles', () => {
  expect(parsePythonJson('[1, -0, 18446744073709551615, 1.0, 1e3, -2.5]')).toEqual([
    ...[1n, 0n, 18_446_744_073_709_551_615n],
    ...[1, 1000, -2.5],
  ]);
});

it('reads the other values', () => {
  expect(parsePythonJson('[null, true, false, "é"]')).toEqual([null, true, false, 'é']);
});

it('keeps the order of keys that look like integers', () => {
  const value = parsePythonJson('{"9": {"b": 1}, "1": [], "__proto__": 2}');
  expect(value).toEqual(
    new Map<string, unknown>([
      ['9', new Map([['b', 1n]])],
      ['1', []],
      ['__proto__', 2n],
    ]),
  );
  expect([isPythonObject(value), isPythonObject([]), isPythonObject(undefined)]).toEqual([
    true,
    false,
    false,
  ]);
});

it('refuses what is no JSON', () => {
  for (const text of ['', '{', 'NaN', "{'a': 1}"])
    expect(() => parsePythonJson(text)).toThrow(JsonSyntaxError);
});
