import { describe, expect, it } from 'vitest';
import { CsvError, type CsvReading, readCsv, writeCsv } from './csv.ts';

const read = (text: string, options: Partial<CsvReading> = {}) =>
  readCsv(text, { delimiter: ',', skip: 0, lenient: false, ...options });

describe('readCsv', () => {
  it.each([
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a,b\r\n1,2\r\n', [['a', 'b'], ['1', '2'], ['']]],
    ['"a,b","say ""hi"""', [['a,b', 'say "hi"']]],
    ['"two\nlines",x', [['two\nlines', 'x']]],
    [' a , b ', [[' a ', ' b ']]],
    ['a,b\n\n1', [['a', 'b'], [''], ['1']]],
  ])('reads %j', (text, rows) => expect(read(text)).toEqual(rows));

  it('uses the delimiter', () => {
    expect(read('a;b\n1,5;2', { delimiter: ';' })).toEqual([
      ['a', 'b'],
      ['1,5', '2'],
    ]);
  });

  it('keeps a byte order mark that the caller left', () => {
    expect(read('\ufeffa,b')).toEqual([['\ufeffa', 'b']]);
  });

  it('reads at most the given number of rows', () => {
    expect(read('a\nb\nc', { rows: 2 })).toEqual([['a'], ['b']]);
  });

  it('skips lines at the beginning', () => {
    expect(read('note 1\r\nnote 2\na,b', { skip: 2 })).toEqual([['a', 'b']]);
  });

  it('names the row of the file that has a wrong quote', () => {
    const malformed = 'a,b\n"x"y,2\n3,4';
    expect(() => read(malformed)).toThrow(CsvError);
    expect(() => read(malformed)).toThrow(/\(row 2\)$/);
    expect(() => read(`skipped\n${malformed}`, { skip: 1 })).toThrow(/\(row 3\)$/);
  });

  it('leaves malformed rows out when it is lenient', () => {
    const rows = read('a,b\n"x"y,2\n3,4', { lenient: true });
    expect(rows).toContainEqual(['a', 'b']);
    expect(rows.flat().join()).not.toContain('x');
  });
});

describe('writeCsv', () => {
  const table = {
    columns: ['a', 'b'],
    rows: [
      [1, 'x,y'],
      [null, true],
    ],
  };

  it('quotes where it must and ends lines with a line feed', () => {
    expect(writeCsv(table, ',', true)).toBe('a,b\n1,"x,y"\n,TRUE');
  });

  it('leaves the header out', () => expect(writeCsv(table, ';', false)).toBe('1;x,y\n;TRUE'));

  it('writes what readCsv reads', () => {
    const rows = [['a "quote"', 'two\nlines', ' space ']];
    expect(read(writeCsv({ columns: [], rows }, ',', false))).toEqual(rows);
  });
});
