import { describe, expect, it } from 'vitest';
import { toPlainValue } from './json-nodes.ts';
import { parseJson } from './parse-json.ts';

describe('parseJson', () => {
  it.each([
    ['', 'EOF'],
    [' \n', 'EOF'],
    ['{', 'unexpected EOF'],
    ['{"model": ', 'unexpected EOF'],
    ['[1,', 'unexpected EOF'],
    ['"abc', 'unexpected EOF'],
    ['-', 'unexpected EOF'],
    ['1.', 'unexpected EOF'],
    ['nul', 'unexpected EOF'],
    ['nope', "invalid character 'o' in literal null (expecting 'u')"],
    ['tRue', "invalid character 'R' in literal true (expecting 'r')"],
    ['x', "invalid character 'x' looking for beginning of value"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[01]', "invalid character '1' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"a\u0001"', "invalid character '\\x01' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.e', "invalid character 'e' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['\u00a0', "invalid character 'Â' looking for beginning of value"],
    ['\u0007', "invalid character '\\a' looking for beginning of value"],
    ['\u0008', "invalid character '\\b' looking for beginning of value"],
    ['\u000b', "invalid character '\\v' looking for beginning of value"],
    ['\u000c', "invalid character '\\f' looking for beginning of value"],
    ['"\t"', "invalid character '\\t' in string literal"],
    ['"\r"', "invalid character '\\r' in string literal"],
    ['\\', "invalid character '\\\\' looking for beginning of value"],
    ['\u007f', "invalid character '\\x7f' looking for beginning of value"],
    ['"\\', 'unexpected EOF'],
    ['"\\u12', 'unexpected EOF'],
    ['+1', "invalid character '+' looking for beginning of value"],
    ['.5', "invalid character '.' looking for beginning of value"],
    ['1e', 'unexpected EOF'],
    ['1e-', 'unexpected EOF'],
    ['1E-x', "invalid character 'x' in exponent of numeric literal"],
    ['toString', "invalid character 'o' in literal true (expecting 'r')"],
    ['{"a":1]', "invalid character ']' after object key:value pair"],
    ['[1}', "invalid character '}' after array element"],
    ['{"a"', 'unexpected EOF'],
    ['{,', "invalid character ',' looking for beginning of object key string"],
  ])('%j: %s', (source, message) => {
    expect(() => parseJson(source)).toThrow(expect.objectContaining({ message }));
  });

  it.each([
    ['', 0, 'JsonEmptyError'],
    ['  ', 2, 'JsonEmptyError'],
    ['[1,', 3, 'JsonSyntaxError'],
    ['[1 x', 3, 'JsonSyntaxError'],
    ['{"a" 1}', 5, 'JsonSyntaxError'],
    ['"\\u12g4"', 5, 'JsonSyntaxError'],
  ])('the error of %j is at %i', (source, position, name) => {
    expect(() => parseJson(source)).toThrow(expect.objectContaining({ position, name }));
  });

  it.each([
    [
      '{"a":[1,2.5,-3e2,"x\\u00e9\\n",true,false,null,{}]}',
      { a: [1, 2.5, -300, 'xé\n', true, false, null, {}] },
    ],
    ['1 trailing', 1],
    ['{"a":1}{"b":2}', { a: 1 }],
    ['{"a":1,"a":2}', { a: 2 }],
    ['[]', []],
    ['01', 0],
    ['1.2.3', 1.2],
    ['1e2e3', 100],
    ['-0.5E+1', -5],
    ['\r\n\t [ 1 , { "a" : 2 } ] ', [1, { a: 2 }]],
    ['[[],{},[[]]]', [[], {}, [[]]]],
    ['"\\/\\b\\f\\r\\t\\\\\\""', '/\b\f\r\t\\"'],
    ['"\\udc00"', '\ufffd'],
    ['"a\ud83d"', 'a\ufffd'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\ud83d"', '\ufffd'],
    ['"a\\u0000b"', 'a\0b'],
  ])('reads %s', (source, value) => {
    expect(toPlainValue(parseJson(source).root)).toEqual(value);
  });

  it('stores the text of numbers, and the place of values', () => {
    const source = ' {"n": 9007199254740993 }';
    const { root } = parseJson(source);
    expect(root).toMatchObject({ type: 'object', start: 1, end: source.length });
    if (root.type !== 'object') return;
    const [, n] = root.members[0]!;
    expect(n).toMatchObject({ type: 'number', text: '9007199254740993' });
    expect(source.slice(n.start, n.end)).toBe('9007199254740993');
  });

  it('parses deep nesting up to the limit of Go', () => {
    expect(() => parseJson('['.repeat(10_000) + ']'.repeat(10_000))).not.toThrow();
    expect(() => parseJson('['.repeat(10_001))).toThrow('exceeded max depth');
    expect(() => parseJson('[[{}]]', 3)).not.toThrow();
    expect(() => parseJson('[[{}]]', 2)).toThrow(expect.objectContaining({ position: 2 }));
  });

  it('a member called __proto__ is a member like others', () => {
    const value = toPlainValue(parseJson('{"__proto__":{"x":1}}').root) as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect('x' in value).toBe(false);
  });
});
