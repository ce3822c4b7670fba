/** Items as rows of a table, and rows as items. */
import type { JsonObject } from '#core/workflow-format';

export interface Table {
  /** Names of the columns, in the order in which they first come up. */
  columns: string[];
  rows: unknown[][];
}

/** What is nested gets columns of its own: `o.k`, `list.0`. */
export function toTable(items: JsonObject[]): Table {
  const columns = new Map<string, number>();
  const rows = items.map((item) => {
    const row: unknown[] = [];
    for (const [name, value] of flat(item, '')) {
      let at = columns.get(name);
      if (at === undefined) {
        at = columns.size;
        columns.set(name, at);
      }
      row[at] = value;
    }
    return row;
  });
  const names = [...columns.keys()];
  return { columns: names, rows: rows.map((row) => names.map((_name, at) => row[at])) };
}

function* flat(value: object, prefix: string): Generator<[string, unknown]> {
  for (const [key, child] of Object.entries(value)) {
    if (typeof child === 'object' && child !== null && !(child instanceof Date))
      yield* flat(child, `${prefix}${key}.`);
    else yield [prefix + key, child];
  }
}

/** How a value is written in a cell of text. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value instanceof Date ? value.toISOString() : String(value);
}

export interface RowReading {
  /** The first row names the columns; otherwise a row is a list. */
  headerRow: boolean;
  /** Cells without content become empty texts instead of being left out. */
  includeEmptyCells: boolean;
}

/** One object a row. Rows without any content are left out. */
export function toItems(rows: unknown[][], { headerRow, includeEmptyCells }: RowReading): JsonObject[] {
  const filled = rows.filter((row) => row.some((cell) => !isEmpty(cell)));
  if (!headerRow) return filled.map((row) => ({ row }));
  const [head = [], ...body] = filled;
  const names = uniqueNames(head);
  return body.map((row) => {
    const cells = names.map((name, at): [string, unknown] => [name, row[at] ?? '']);
    return Object.fromEntries(cells.filter(([, value]) => includeEmptyCells || !isEmpty(value)));
  });
}

function uniqueNames(head: unknown[]): string[] {
  const counts = new Map<string, number>();
  return head.map((cell) => {
    const name = isEmpty(cell) ? '__EMPTY' : String(cell);
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return count === 0 ? name : `${name}_${count}`;
  });
}

function isEmpty(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}
