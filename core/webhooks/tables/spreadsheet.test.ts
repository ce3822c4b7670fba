import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { readSpreadsheet, SpreadsheetError, type SpreadsheetKind, writeSpreadsheet } from './spreadsheet.ts';

const table = {
  columns: ['n', 'text', 'flag'],
  rows: [
    [1.5, 'ä', true],
    [undefined, '', false],
  ],
};
const write = (kind: SpreadsheetKind, changes = {}) =>
  writeSpreadsheet(table, kind, { headerRow: true, sheetName: 'Data', ...changes });

describe('writeSpreadsheet', () => {
  it.each(['xlsx', 'xls', 'ods'] as const)('writes %s that readSpreadsheet reads', async (kind) => {
    const [header, first, second] = await readSpreadsheet(await write(kind), kind, 'Data');
    expect(header).toEqual(['n', 'text', 'flag']);
    expect(first).toEqual([1.5, 'ä', true]);
    expect(second?.[2]).toBe(false);
  });

  it('writes RTF', async () => {
    const text = new TextDecoder('latin1').decode(await write('rtf'));
    expect(text.startsWith('{\\rtf')).toBe(true);
    expect(text).toContain('1.5');
  });

  it('leaves the header out', async () => {
    const rows = await readSpreadsheet(await write('xlsx', { headerRow: false }), 'xlsx');
    expect(rows[0]).toEqual([1.5, 'ä', true]);
  });

  it.each([
    ['a/b:c*d', 'a b c d'],
    ['x'.repeat(40), 'x'.repeat(31)],
    ['', 'Sheet'],
  ])('names a sheet that is called %j %j', async (sheetName, title) => {
    const bytes = await write('xlsx', { sheetName });
    expect((await readSpreadsheet(bytes, 'xlsx', title))[0]).toEqual(['n', 'text', 'flag']);
  });
});

describe('readSpreadsheet', () => {
  it('reads dates as ISO text', async () => {
    const { utils, write: writeBook } = await import('@e965/xlsx');
    const book = utils.book_new();
    const sheet = utils.aoa_to_sheet([[new Date(Date.UTC(2025, 0, 2, 3, 4, 5))]], { UTC: true });
    utils.book_append_sheet(book, sheet, 'Dates');
    const bytes = new Uint8Array(writeBook(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer);
    expect(await readSpreadsheet(bytes, 'xlsx')).toEqual([['2025-01-02T03:04:05.000Z']]);
  });

  it('refuses a sheet that is not there', async () => {
    const bytes = await write('xlsx');
    await expect(readSpreadsheet(bytes, 'xlsx', 'Other')).rejects.toThrow(
      new SpreadsheetError('The file has no sheet "Other"'),
    );
  });

  it.each([
    ['xlsx', 'spreadsheet'],
    ['xls', 'spreadsheet'],
    ['ods', 'spreadsheet'],
    ['rtf', 'document'],
  ] as const)('refuses text as %s', async (kind, noun) => {
    await expect(readSpreadsheet(strToU8('a,b\n1,2'), kind)).rejects.toThrow(
      new SpreadsheetError(`The file is no ${kind.toUpperCase()} ${noun}`),
    );
  });

  it('refuses an archive without a spreadsheet in it', async () => {
    const bytes = zipSync({ 'a.txt': strToU8('hello') });
    await expect(readSpreadsheet(bytes, 'xlsx')).rejects.toThrow(/^The file is no XLSX spreadsheet: /);
  });

  it('refuses an archive whose directory states a huge size', async () => {
    const bytes = zipSync({ 'a.bin': strToU8('hello') });
    const entry = bytes.findLastIndex((_byte, at) => String(bytes.subarray(at, at + 4)) === '80,75,1,2');
    // The unpacked size of the part, in the entry of the archive's directory.
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(entry + 24, 201 * 2 ** 20, true);
    await expect(readSpreadsheet(bytes, 'xlsx')).rejects.toThrow(
      'The spreadsheet is too large: unpacked at most 200 MiB are read',
    );
  });

  it('refuses a file of more than 50 MiB', async () => {
    const bytes = new Uint8Array(50 * 2 ** 20 + 1);
    bytes.set([0x50, 0x4b]);
    await expect(readSpreadsheet(bytes, 'xlsx')).rejects.toThrow(
      'The spreadsheet is too large: at most 50 MiB are read',
    );
  });
});
