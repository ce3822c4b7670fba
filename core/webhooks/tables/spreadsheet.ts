/** Spreadsheets of every kind that people send: the library is large, so it is loaded with the first of them. */
import { unzipSync } from 'fflate';
import type { Table } from './table.ts';

export type SpreadsheetKind = 'xlsx' | 'xls' | 'ods' | 'rtf';

export class SpreadsheetError extends Error {
  override name = 'SpreadsheetError';
}

/** Bytes: reading takes the whole thread, and many times as much memory. */
const LARGEST = 50 * 1024 * 1024;
/** Bytes that all parts together may have unpacked: small files can hold huge ones. */
const LARGEST_UNPACKED = 200 * 1024 * 1024;

const library = () => import('@e965/xlsx');

/** Throws `SpreadsheetError`. `sheetName`: undefined = the first sheet. */
export async function readSpreadsheet(
  bytes: Uint8Array,
  kind: SpreadsheetKind,
  sheetName?: string,
): Promise<unknown[][]> {
  const problem = whyNot(bytes, kind);
  if (problem) throw new SpreadsheetError(problem);
  const { read, utils } = await library();
  const options = { type: 'array', cellDates: true, UTC: true, cellFormula: false, cellHTML: false } as const;
  const book = attempt(kind, () => read(bytes, { ...options, ...(sheetName && { sheets: sheetName }) }));
  const name = sheetName ?? book.SheetNames[0];
  const sheet = name === undefined ? undefined : book.Sheets[name];
  if (!sheet) {
    throw new SpreadsheetError(
      name === undefined ? 'The file has no sheet' : `The file has no sheet "${name}"`,
    );
  }
  const rows = attempt(kind, () =>
    utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: true, blankrows: false, UTC: true }),
  );
  return rows.map((row) => Array.from(row, (cell) => (cell instanceof Date ? cell.toISOString() : cell)));
}

/** One sheet; numbers and booleans as such, everything else as text. */
export async function writeSpreadsheet(
  { columns, rows }: Table,
  kind: SpreadsheetKind,
  { headerRow, sheetName }: { headerRow: boolean; sheetName: string },
): Promise<Uint8Array> {
  const { utils, write } = await library();
  const book = utils.book_new();
  const cells = headerRow ? [columns, ...rows] : rows;
  utils.book_append_sheet(book, utils.aoa_to_sheet(cells), sheetTitle(sheetName));
  const options = { type: 'array', bookType: kind === 'xls' ? 'biff8' : kind, compression: true } as const;
  return new Uint8Array(write(book, options) as ArrayBuffer);
}

const ZIP = [0x50, 0x4b];
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0];
/** First bytes. Much that is called XLS is a web page or a newer spreadsheet by another name. */
const BEGINNINGS: Record<SpreadsheetKind, number[][]> = {
  xlsx: [ZIP, COMPOUND],
  ods: [ZIP],
  xls: [COMPOUND, ZIP, [0x09, 0x08], [0x09, 0x04], [0x09, 0x02], [0x09, 0x00], [0x3c]],
  rtf: [[0x7b, 0x5c, 0x72, 0x74, 0x66]],
};

/** The library takes anything for a table of text, and unpacks whatever it is given. */
function whyNot(bytes: Uint8Array, kind: SpreadsheetKind): string | undefined {
  const begins = (beginning: number[]) => beginning.every((byte, at) => bytes[at] === byte);
  if (!BEGINNINGS[kind].some(begins)) return notOne(kind);
  if (bytes.length > LARGEST)
    return `The spreadsheet is too large: at most ${LARGEST / 2 ** 20} MiB are read`;
  if (!begins(ZIP)) return undefined;
  let unpacked = 0;
  try {
    unzipSync(bytes, {
      filter({ originalSize }) {
        unpacked += originalSize;
        return false;
      },
    });
  } catch (error) {
    return `${notOne(kind)}: ${(error as Error).message}`;
  }
  return unpacked > LARGEST_UNPACKED
    ? `The spreadsheet is too large: unpacked at most ${LARGEST_UNPACKED / 2 ** 20} MiB are read`
    : undefined;
}

const notOne = (kind: SpreadsheetKind) =>
  `The file is no ${kind.toUpperCase()} ${kind === 'rtf' ? 'document' : 'spreadsheet'}`;

function attempt<T>(kind: SpreadsheetKind, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SpreadsheetError(`${notOne(kind)}: ${(error as Error).message}`, { cause: error });
  }
}

/** Names of sheets are short and lack some signs. */
function sheetTitle(name: string): string {
  return name.replace(/[\\/?*[\]:]/g, ' ').slice(0, 31) || 'Sheet';
}
