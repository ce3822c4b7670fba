/** Finds the rows that items change, and the place for new ones. */
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { Cell } from './excel-client.ts';

/** The values that an item writes into the row that has the value in the column. */
export interface Change {
  column: string;
  value: unknown;
  fields: JsonObject;
  /** Whether cells without a field become empty. */
  isWholeRow: boolean;
}

export interface Changed {
  /** The header and all rows. */
  values: Cell[][];
  /** The indexes of changed rows in `values`. */
  rows: number[];
  /** The fields of items that no row has. */
  missing: JsonObject[];
}

/** @param all whether an item changes every row with its value, or the first one */
export function changeRows([columns = [], ...rows]: Cell[][], changes: Change[], all: boolean): Changed {
  const changed = new Set<number>();
  const missing: JsonObject[] = [];
  const keys = new Map<string, Cell[]>();
  const keysOf = (column: string): Cell[] => {
    const cells = keys.get(column) ?? rows.map((row) => row[columns.indexOf(column)]);
    keys.set(column, cells);
    return cells;
  };
  for (const { column, value, fields, isWholeRow } of changes) {
    const found = keysOf(column).flatMap((key, index) => (isSame(key, value) ? [index] : []));
    if (found.length === 0) missing.push({ [column]: value, ...fields });
    for (const index of all ? found : found.slice(0, 1)) {
      const row = rows[index]!;
      rows[index] = columns.map((name, at) =>
        Object.hasOwn(fields, String(name)) ? fields[String(name)] : isWholeRow ? null : row[at],
      );
      if (isWholeRow || Object.keys(fields).some((name) => columns.includes(name))) changed.add(index + 1);
    }
  }
  return { values: [columns, ...rows], rows: [...changed], missing };
}

/** Numbers that are stored as texts are the same. */
function isSame(cell: Cell, value: unknown): boolean {
  return cell === value || Number(cell) === Number(value);
}

/** `Sheet1!A1:B3` -> `{ from: 'A1', column: 'A', to: 'B3', lastColumn: 'B', lastRow: 3 }` */
export function partsOf(address: string) {
  const [from = '', to = from] = address.replace(/^.+!/, '').split(':');
  const [, column] = /^([a-z]+)\d*$/i.exec(from) ?? [];
  const [, lastColumn, lastRow] = /^([a-z]+)(\d*)$/i.exec(to) ?? [];
  if (column === undefined || lastColumn === undefined)
    throw new NodeError(`"${address}" is no range of cells, such as A1:B3`);
  return { from, to, column, lastColumn, lastRow: Number(lastRow) };
}

/** The cells below a used range, for rows of so many columns. */
export function cellsBelow(address: string, columns: number, rows: number): string {
  const { from, to, column, lastRow } = partsOf(address);
  const first = from === to ? lastRow : lastRow + 1;
  const last = columnName(columnNumber(column) + Math.max(columns - 1, 0));
  return `${column}${first}:${last}${first + Math.max(rows - 1, 0)}`;
}

/** `A` -> 1, `AA` -> 27 */
function columnNumber(name: string): number {
  return [...name.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

function columnName(number: number): string {
  const rest = (number - 1) % 26;
  const before = (number - 1 - rest) / 26;
  return (before > 0 ? columnName(before) : '') + String.fromCharCode(65 + rest);
}
