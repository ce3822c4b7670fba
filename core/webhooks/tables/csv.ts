/** Reads and writes tables as text with a delimiter. */
import Papa from 'papaparse';
import { cellText, type Table } from './table.ts';

export function writeCsv({ columns, rows }: Table, delimiter: string, headerRow: boolean): string {
  const cells = rows.map((row) => row.map(cellText));
  return Papa.unparse(headerRow ? [columns, ...cells] : cells, { delimiter, newline: '\n' });
}

export interface CsvReading {
  delimiter: string;
  /** The largest number of rows to read. Default: all. */
  rows?: number;
  /** Lines to skip at the beginning. */
  skip: number;
  /** Skips malformed rows, which are an error otherwise. */
  lenient: boolean;
}

/** The cells of each row. @throws CsvError for a malformed row */
export function readCsv(text: string, { delimiter, rows, skip, lenient }: CsvReading): string[][] {
  const lines =
    skip > 0
      ? text
          .split(/\r\n|\n|\r/)
          .slice(skip)
          .join('\n')
      : text;
  // The library removes a byte order mark. The caller has decided about it: one that is still there stays.
  const source = lines.startsWith('\ufeff') ? `\ufeff${lines}` : lines;
  const { data, errors } = Papa.parse<string[]>(source, {
    delimiter,
    ...(rows !== undefined && { preview: rows }),
  });
  const quoteErrors = errors.filter(({ type }) => type === 'Quotes');
  if (quoteErrors.length > 0 && !lenient) {
    const { message, row } = quoteErrors[0]!;
    throw new CsvError(`${message} (row ${(row ?? 0) + 1 + skip})`);
  }
  const malformed = new Set(quoteErrors.map(({ row }) => row));
  return data.filter((_row, index) => !malformed.has(index));
}

export class CsvError extends Error {
  override name = 'CsvError';
}
