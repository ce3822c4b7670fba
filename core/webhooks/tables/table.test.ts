import { describe, expect, it } from 'vitest';
import { cellText, toItems, toTable } from './table.ts';

describe('toTable', () => {
  it('takes the columns in the order in which the items first have them', () => {
    expect(toTable([{ b: 1 }, { a: 2, b: 3 }])).toEqual({
      columns: ['b', 'a'],
      rows: [
        [1, undefined],
        [3, 2],
      ],
    });
  });

  it('gives nested values columns of their own', () => {
    expect(toTable([{ o: { k: { deep: 1 } }, list: ['x', { y: 2 }] }])).toEqual({
      columns: ['o.k.deep', 'list.0', 'list.1.y'],
      rows: [[1, 'x', 2]],
    });
  });

  it('keeps dates and null as cells', () => {
    const date = new Date(0);
    expect(toTable([{ date, none: null } as never])).toEqual({
      columns: ['date', 'none'],
      rows: [[date, null]],
    });
  });

  it('drops empty objects and lists, which have no cell', () => {
    expect(toTable([{ a: {}, b: [], c: 1 }])).toEqual({ columns: ['c'], rows: [[1]] });
  });

  it('has a row without cells for an empty item', () => {
    expect(toTable([{}, { a: 1 }])).toEqual({ columns: ['a'], rows: [[undefined], [1]] });
    expect(toTable([])).toEqual({ columns: [], rows: [] });
  });
});

describe('cellText', () => {
  it.each([
    [null, ''],
    [undefined, ''],
    [true, 'TRUE'],
    [false, 'FALSE'],
    [0, '0'],
    [1e21, '1e+21'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a "b"', 'a "b"'],
  ])('writes %s as "%s"', (value, text) => expect(cellText(value)).toBe(text));
});

describe('toItems', () => {
  const rows = [
    ['a', 'b'],
    ['1', ''],
    ['', ''],
    ['2', 'x'],
  ];

  it('names the fields by the first row and skips empty rows', () => {
    expect(toItems(rows, { headerRow: true, includeEmptyCells: false })).toEqual([
      { a: '1' },
      { a: '2', b: 'x' },
    ]);
  });

  it('includes empty cells as empty text', () => {
    expect(toItems(rows, { headerRow: true, includeEmptyCells: true })).toEqual([
      { a: '1', b: '' },
      { a: '2', b: 'x' },
    ]);
  });

  it('returns rows as lists without a header', () => {
    expect(toItems(rows, { headerRow: false, includeEmptyCells: false })).toEqual([
      { row: ['a', 'b'] },
      { row: ['1', ''] },
      { row: ['2', 'x'] },
    ]);
  });

  it('numbers repeated names and names empty ones', () => {
    const header = ['b', 'b', '', 'b', null];
    expect(toItems([header, [1, 2, 3, 4, 5]], { headerRow: true, includeEmptyCells: false })).toEqual([
      { b: 1, b_1: 2, __EMPTY: 3, b_2: 4, __EMPTY_1: 5 },
    ]);
  });

  it('ignores cells beyond the header and fills short rows', () => {
    expect(toItems([['a', 'b'], [1, 2, 3], [4]], { headerRow: true, includeEmptyCells: true })).toEqual([
      { a: 1, b: 2 },
      { a: 4, b: '' },
    ]);
  });

  it('keeps 0 and false, which are not empty', () => {
    expect(
      toItems(
        [
          ['a', 'b'],
          [0, false],
        ],
        { headerRow: true, includeEmptyCells: false },
      ),
    ).toEqual([{ a: 0, b: false }]);
  });

  it('returns nothing for a table without rows', () => {
    expect(toItems([], { headerRow: true, includeEmptyCells: true })).toEqual([]);
    expect(toItems([['a']], { headerRow: true, includeEmptyCells: true })).toEqual([]);
  });
});
