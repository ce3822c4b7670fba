import { describe, expect, it } from 'vitest';
import { NodeError } from '../../node-api/node-error.ts';
import { commaList } from './comma-list.ts';
import { omitFields, pickFields, readField, removeField, writeField } from './fields.ts';
import { parseJsonParameter } from './parse-json.ts';
import { headerPairs } from './response-headers.ts';

it.each([
  ['a, b ,,c', ['a', 'b', 'c']],
  ['', []],
  [undefined, []],
  [null, []],
  [3, ['3']],
  [
    [' a ', 4, ''],
    ['a', '4'],
  ],
  [['a,b'], ['a,b']],
])('commaList of %j', (value, expected) => {
  expect(commaList(value)).toEqual(expected);
});

describe('fields', () => {
  const json = () => ({ a: { b: 1, c: 2 }, 'a.b': 3, list: [{ x: 1 }] });

  it('are paths with dot notation, names without', () => {
    expect([readField(json(), 'a.c', true), readField(json(), 'a.c', false)]).toEqual([2, undefined]);
    expect(readField(json(), 'list[0].x', true)).toBe(1);
    const target = {};
    writeField(target, 'p.q', 1, true);
    writeField(target, 'p.q', 2, false);
    expect(target).toEqual({ p: { q: 1 }, 'p.q': 2 });
    removeField(target, 'p.q', false);
    expect(target).toEqual({ p: { q: 1 } });
    removeField(target, 'p.q', true);
    expect(target).toEqual({ p: {} });
  });

  it('are picked if they exist, without a copy', () => {
    const item = json();
    const picked = pickFields(item, ['list', 'a.c', 'none'], true);
    expect(picked).toEqual({ list: [{ x: 1 }], a: { c: 2 } });
    expect(picked.list).toBe(item.list);
    expect(pickFields(item, ['a.b', 'a.c'], false)).toEqual({ 'a.b': 3 });
  });

  it('are omitted from a copy', () => {
    const item = json();
    const rest = omitFields(item, ['a.c', 'none'], true);
    expect(rest).toEqual({ a: { b: 1 }, 'a.b': 3, list: [{ x: 1 }] });
    expect(rest.list).not.toBe(item.list);
    expect(item).toEqual(json());
  });
});

describe('parseJson', () => {
  it('parses text, and returns other values as they are', () => {
    const value = { a: 1 };
    expect(parseJsonParameter('[1]', 'bad')).toEqual([1]);
    expect(parseJsonParameter(value, 'bad')).toBe(value);
    expect(parseJsonParameter(undefined, 'bad')).toBeUndefined();
  });

  it('throws the message for text that is not JSON', () => {
    expect(() => parseJsonParameter('{', 'bad', { itemIndex: 2 })).toThrow(
      expect.objectContaining({ message: 'bad', itemIndex: 2, cause: expect.any(SyntaxError) }),
    );
    expect(() => parseJsonParameter('{', (reason) => `bad: ${reason}`)).toThrow(/^bad: ./);
    expect(() => parseJsonParameter('{', 'bad')).toThrow(NodeError);
  });
});

it.each([
  [undefined, []],
  [{}, []],
  [{ entries: 'x' }, []],
  [
    { entries: [{ name: 'A', value: 1 }, {}, null] },
    [
      ['A', '1'],
      ['', ''],
      ['', ''],
    ],
  ],
])('headerPairs of %j', (value, expected) => {
  expect(headerPairs(value)).toEqual(expected);
});
