/** Reads and writes spreadsheets. The library is large: it is loaded with the first file. */
import { unzipSync } from 'fflate';
import type { Table } from './table.ts';

export type SpreadsheetKind = 'xlsx' | 'xls' | 'ods' | 'rtf';

export class SpreadsheetError extends Error {
  override name = 'SpreadsheetError';
}

/** Bytes. The library blocks the thread while it reads, and needs many times the size in memory. */
const MAX_SIZE = 50 * 1024 * 1024;
/** Bytes of all unpacked parts together: a small archive can unpack to a huge size. */
const MAX_UNPACKED_SIZE = 200 * 1024 * 1024;

const loadLibrary = () => import('@e965/xlsx');

/**
 * The cells of a sheet; dates are ISO text.
 * @param sheetName the first sheet by default
 * @throws SpreadsheetError for a file of another kind, one that is too large, and a sheet that is not there
 */
export async function readSpreadsheet(
  bytes: Uint8Array,
  kind: SpreadsheetKind,
  sheetName?: string,
): Promise<unknown[][]> {
  requireReadable(bytes, kind);
  const { read, utils } = await loadLibrary();
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
  const { utils, write } = await loadLibrary();
  const book = utils.book_new();
  const cells = headerRow ? [columns, ...rows] : rows;
  utils.book_append_sheet(book, utils.aoa_to_sheet(cells), sheetTitle(sheetName));
  const options = { type: 'array', bookType: kind === 'xls' ? 'biff8' : kind, compression: true } as const;
  return new Uint8Array(write(book, options) as ArrayBuffer);
}

const ZIP = [0x50, 0x4b];
const COMPOUND_FILE_SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0];
/** The first bytes of each kind. Many files with the extension XLS are web pages or newer spreadsheets. */
const SIGNATURES: Record<SpreadsheetKind, number[][]> = {
  xlsx: [ZIP, COMPOUND_FILE_SIGNATURE],
  ods: [ZIP],
  xls: [COMPOUND_FILE_SIGNATURE, ZIP, [0x09, 0x08], [0x09, 0x04], [0x09, 0x02], [0x09, 0x00], [0x3c]],
  rtf: [[0x7b, 0x5c, 0x72, 0x74, 0x66]],
};

/** The library itself would read any file as a table of text, and would unpack an archive of any size. */
function requireReadable(bytes: Uint8Array, kind: SpreadsheetKind): void {
  const beginsWith = (signature: number[]) => signature.every((byte, index) => bytes[index] === byte);
  if (!SIGNATURES[kind].some(beginsWith)) throw new SpreadsheetError(wrongKind(kind));
  if (bytes.length > MAX_SIZE) {
    throw new SpreadsheetError(`The spreadsheet is too large: at most ${MAX_SIZE / 2 ** 20} MiB are read`);
  }
  if (!beginsWith(ZIP)) return;
  const unpacked = attempt(kind, () => unpackedSize(bytes));
  if (unpacked > MAX_UNPACKED_SIZE) {
    throw new SpreadsheetError(
      `The spreadsheet is too large: unpacked at most ${MAX_UNPACKED_SIZE / 2 ** 20} MiB are read`,
    );
  }
}

/** The size of all parts, as the archive's directory states it. */
function unpackedSize(bytes: Uint8Array): number {
  let size = 0;
  unzipSync(bytes, {
    filter({ originalSize }) {
      size += originalSize;
      return false;
    },
  });
  return size;
}

const wrongKind = (kind: SpreadsheetKind) =>
  `The file is no ${kind.toUpperCase()} ${kind === 'rtf' ? 'document' : 'spreadsheet'}`;

/** Any error of a library means that the file is not of its kind. */
function attempt<T>(kind: SpreadsheetKind, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new SpreadsheetError(`${wrongKind(kind)}: ${(error as Error).message}`, { cause: error });
  }
}

/** A sheet's name has at most 31 characters, and not these. */
function sheetTitle(name: string): string {
  return name.replace(/[\\/?*[\]:]/g, ' ').slice(0, 31) || 'Sheet';
}
