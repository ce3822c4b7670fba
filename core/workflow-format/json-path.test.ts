import { describe, expect, it } from 'vitest';
import { deletePath, getPath, setPath, splitPath } from './json-path.ts';

it.each([
  ['a.b.c', ['a', 'b', 'c']],
  ['a[0].b', ['a', '0', 'b']],
  ['a["x y"].z', ['a', 'x y', 'z']],
  ["a['it\\'s']", ['a', "it\\'s"]],
  ['a[]', ['a', '']],
  ['', []],
])('splitPath(%s)', (path, parts) => {
  expect(splitPath(path)).toEqual(parts);
});

describe('getPath', () => {
  const value = { a: { b: [1, { c: 2 }] }, 'a.b': 'complete key', empty: null };

  it.each([
    ['a.b', 'complete key'],
    ['a["b"][1].c', 2],
    ['a.x.y', undefined],
    ['empty.x', undefined],
    ['constructor', undefined],
    ['__proto__.toString', undefined],
  ])('%s', (path, expected) => {
    expect(getPath(value, path)).toEqual(expected);
  });
});

describe('setPath', () => {
  const set = (path: string, target: Record<string, unknown> = {}) => {
    setPath(target, path, 'v');
    return target;
  };

  it('creates objects, and arrays before numbers', () => {
    expect(set('a.b.c')).toEqual({ a: { b: { c: 'v' } } });
    expect(set('a[1].b')).toEqual({ a: [undefined, { b: 'v' }] });
    expect(set('a.0')).toEqual({ a: ['v'] });
  });

  it('keeps existing parents and replaces plain values', () => {
    expect(set('a.b', { a: { x: 1 } })).toEqual({ a: { x: 1, b: 'v' } });
    expect(set('a.b', { a: 3 })).toEqual({ a: { b: 'v' } });
  });

  it.each(['__proto__.x', 'a.constructor', 'prototype'])('never writes %s', (path) => {
    expect(set(path)).toEqual({});
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe('deletePath', () => {
  it('removes keys, complete keys and entries of lists', () => {
    const target = { a: { b: 1, c: 2 }, 'a.c': 3, list: [1, 2, 3] };
    expect(deletePath(target, 'a.b')).toBe(true);
    expect(deletePath(target, 'a.c')).toBe(true);
    expect(deletePath(target, 'list[1]')).toBe(true);
    expect(target).toEqual({ a: { c: 2 }, list: [1, 3] });
  });

  it.each(['x', 'a.x', 'a.b.c', ''])('reports that %j has no value', (path) => {
    const target = { a: { b: 1 } };
    expect(deletePath(target, path)).toBe(false);
    expect(target).toEqual({ a: { b: 1 } });
  });
});
