/** Tables as text with separators. */
import Papa from 'papaparse';
import { cellText, type Table } from './table.ts';

export function writeCsv({ columns, rows }: Table, delimiter: string, headerRow: boolean): string {
  const cells = rows.map((row) => row.map(cellText));
  return Papa.unparse(headerRow ? [columns, ...cells] : cells, { delimiter, newline: '\n' });
}

export interface CsvReading {
  delimiter: string;
  /** Rows that are read at most; undefined = all. */
  rows?: number;
  /** Lines before the first one that is read. */
  skip: number;
  /** Rows that are not well formed are left out instead of being an error. */
  lenient: boolean;
}

/** Throws `CsvError`. */
export function readCsv(text: string, { delimiter, rows, skip, lenient }: CsvReading): string[][] {
  const lines =
    skip > 0
      ? text
          .split(/\r\n|\n|\r/)
          .slice(skip)
          .join('\n')
      : text;
  // The library takes a mark away from the beginning: one that is to stay is doubled.
  const marked = lines.startsWith('\ufeff') ? `\ufeff${lines}` : lines;
  const { data, errors } = Papa.parse<string[]>(marked, {
    delimiter,
    ...(rows !== undefined && { preview: rows }),
  });
  const broken = errors.filter(({ type }) => type === 'Quotes');
  if (broken.length > 0 && !lenient) {
    const { message, row } = broken[0]!;
    throw new CsvError(`${message} (row ${(row ?? 0) + 1 + skip})`);
  }
  const bad = new Set(broken.map(({ row }) => row));
  return data.filter((_row, index) => !bad.has(index));
}

export class CsvError extends Error {
  override name = 'CsvError';
}
