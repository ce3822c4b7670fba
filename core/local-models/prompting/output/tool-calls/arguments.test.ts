import { describe, expect, test } from 'vitest';
import { Cursor, NeedMore } from './cursor.ts';
import { readGemmaObject } from './gemma-value.ts';
import { pythonCall, pythonCalls } from './python-call.ts';
import { RequestTools } from './request-tools.ts';
import { typedValue } from './typed-value.ts';

const tools = new RequestTools([
  { type: 'function', function: { name: 'f', parameters: { properties: { a: {}, b: {} } } } },
]);
const read = (text: string) => pythonCall(new Cursor(text, 0, true), tools)?.arguments;

describe('arguments in Python', () => {
  test.each<[string, Record<string, unknown> | undefined]>([
    ['f()', {}],
    ['f(1, 2)', { a: 1, b: 2 }],
    ['f(1, b=2,)', { a: 1, b: 2 }],
    ['f.call(a=.5)', { a: 0.5 }],
    ['f(a=-1e-3, b=+2.)', { a: -0.001, b: 2 }],
    [`f(a="""it's "quoted" text""")`, { a: `it's "quoted" text` }],
    [String.raw`f(a='\x41\u00e9\U0001f327\ud83c\udf27\q\n')`, { a: 'Aé🌧🌧\\q\n' }],
    ['f(a="x\\\ny")', { a: 'xy' }],
    ['f(a={1: [True, None,], "k": ()})', { a: { 1: [true, null], k: [] } }],
    ['f(1, 2, 3)', undefined],
    ['f(a=name)', undefined],
    ['f(a=1 b=2)', undefined],
    ['f(a={[]: 1})', undefined],
    [String.raw`f(a='\x4')`, undefined],
    [String.raw`f(a='\U00110000')`, undefined],
    ['f(a="cut', undefined],
    ['g(a=1)', undefined],
  ])('%s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test('a list of calls needs at least one, and no trailing comma', () => {
    const readList = (text: string) => pythonCalls(new Cursor(text, 0, true), tools)?.length;
    expect(readList('f(), f(a=1)]')).toBe(2);
    expect(readList(']')).toBeUndefined();
    expect(readList('f(),]')).toBeUndefined();
  });

  test('an incomplete text asks for more, unless it has ended', () => {
    const cursor = (ended: boolean) => new Cursor('f(a="tex', 0, ended);
    expect(() => pythonCall(cursor(false), tools)).toThrow(NeedMore);
    expect(pythonCall(cursor(true), tools)).toBeUndefined();
  });

  test('nesting is limited', () => {
    const nested = (depth: number) => `f(a=${'['.repeat(depth)}${']'.repeat(depth)})`;
    const list = `${'['.repeat(100)}${']'.repeat(100)}`;
    expect(JSON.stringify(read(nested(100)))).toBe(`{"a":${list}}`);
    expect(read(nested(102))).toBeUndefined();
  });
});

describe('arguments of Gemma', () => {
  test.each<[string, Record<string, unknown> | undefined]>([
    ['}', {}],
    ['a:1, b : two words }', { a: 1, b: 'two words' }],
    ['<escape>a key<escape>:<|"|>x,}<|"|>}', { 'a key': 'x,}' }],
    [String.raw`a:"q\"}",b:[true,[],{c:null}]}`, { a: 'q"}', b: [true, [], { c: null }] }],
    ['a:1,}', undefined],
    ['a:[1,]}', undefined],
    ['a}', undefined],
    [':1}', undefined],
    ['a:}', undefined],
    ['a:<escape>cut', undefined],
  ])('{%s', (text, expected) => {
    expect(readGemmaObject(new Cursor(text, 0, true))).toEqual(expected);
  });
});

describe('typed values', () => {
  test.each<[string, Record<string, unknown>, unknown]>([
    ['7', {}, '7'],
    ['7', { type: 'string' }, '7'],
    ['7', { type: 'integer' }, 7],
    ['7', { type: 'number' }, 7],
    ['7.5', { type: ['integer', 'string'] }, '7.5'],
    ['7.5', { type: 'integer' }, 7.5],
    ['TRUE', { type: 'boolean' }, true],
    ['None', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, null],
    [' [1] ', { oneOf: [{ type: 'array' }] }, [1]],
    ['text', { type: 'integer' }, 'text'],
  ])('%j by the schema %j', (text, schema, expected) => {
    expect(typedValue(text, schema)).toEqual(expected);
  });
});
