import { describe, expect, it } from 'vitest';
import { PythonFloat, pythonJson, pythonValueJson, RawJson } from './python-json.ts';

describe('pythonJson', () => {
  it.each([
    [{ a: [1, 'x', null, true], b: undefined, c: {} }, '{"a": [1, "x", null, true], "c": {}}'],
    [[], '[]'],
    [[undefined, 1], '[null, 1]'],
    [undefined, 'null'],
    [2n ** 63n, '9223372036854775808'],
    [
      new Map([
        ['9', 1],
        ['1', 2],
      ]),
      '{"9": 1, "1": 2}',
    ],
    [{ a: new PythonFloat(8), b: 8, c: 8.5 }, '{"a": 8.0, "b": 8, "c": 8.5}'],
    [{ a: new RawJson('{"x":1}') }, '{"a": {"x":1}}'],
    [Number.NaN, 'null'],
  ])('prints %o', (value, json) => {
    expect(pythonJson(value)).toBe(json);
  });

  it('escapes everything but ASCII, in texts and keys', () => {
    expect(pythonJson({ 'ü"': '😀\n\u007f\\' })).toBe('{"\\u00fc\\"": "\\ud83d\\ude00\\n\\u007f\\\\"}');
    expect(pythonJson('a b~!')).toBe('"a b~!"');
  });
});

describe('pythonValueJson', () => {
  it('prints every number as a float and every bigint as an integer', () => {
    const value = new Map([['n', [8, 8n, -0.5]]]);
    expect(pythonValueJson(value)).toBe('{"n": [8.0, 8, -0.5]}');
  });

  it('prints infinity as a number that reads as infinite', () => {
    expect(pythonValueJson([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])).toBe(
      '[1e999, -1e999, null]',
    );
    expect(JSON.parse('[1e999, -1e999]')).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  });

  it('escapes as pythonJson does', () => {
    expect(pythonValueJson(new Map([['é', 'ž']]))).toBe('{"\\u00e9": "\\u017e"}');
    expect(pythonValueJson([null, true])).toBe('[null, true]');
  });
});
