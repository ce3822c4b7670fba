import { describe, expect, it } from 'vitest';
import { cursorOf, flagOf, limitOf, page } from './paging.ts';

const query = (text: string) => new URLSearchParams(text);
const refusal = (message: string) => expect.objectContaining({ status: 400, message });

describe('limitOf', () => {
  it.each([
    ['', 100],
    ['limit=1', 1],
    ['limit=250', 250],
  ])('"%s" is %i', (text, limit) => {
    expect(limitOf(query(text))).toBe(limit);
  });

  it.each(['0', '-1', '1.5', '', 'x', '1e2', ' 5'])('refuses "%s"', (limit) => {
    expect(() => limitOf(query(`limit=${limit}`))).toThrow(refusal('request/query/limit must be >= 1'));
  });

  it('refuses more than 250', () => {
    expect(() => limitOf(query('limit=251'))).toThrow(refusal('request/query/limit must be <= 250'));
  });
});

describe('pages', () => {
  const rows = ['a', 'b', 'c'];

  it('have a cursor if more rows follow', () => {
    const { rows: shown, nextCursor } = page(rows, 2, (row) => row);
    expect(shown).toEqual(['a', 'b']);
    expect(cursorOf(new URLSearchParams({ cursor: nextCursor! }))).toBe('b');
  });

  it('have none at the end', () => {
    expect(page(rows, 3, (row) => row)).toEqual({ rows, nextCursor: null });
    expect(page([], 3, (row) => row)).toEqual({ rows: [], nextCursor: null });
  });
});

describe('cursorOf', () => {
  it('has none for a missing or empty parameter', () => {
    expect([cursorOf(query('')), cursorOf(query('cursor='))]).toEqual([undefined, undefined]);
  });

  it.each(['zzz', '%%', btoa('no JSON'), btoa('{}'), btoa('{"after":3}')])('refuses "%s"', (cursor) => {
    expect(() => cursorOf(new URLSearchParams({ cursor }))).toThrow(
      refusal('An invalid cursor was provided'),
    );
  });
});

it('flags are true, false or missing', () => {
  const flags = query('a=true&b=false&d=1');
  expect(['a', 'b', 'c'].map((name) => flagOf(flags, name))).toEqual([true, false, undefined]);
  expect(() => flagOf(flags, 'd')).toThrow(refusal('request/query/d must be boolean'));
});
