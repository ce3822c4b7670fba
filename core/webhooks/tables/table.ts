/** Converts items to the rows of a table, and rows to items. */
import type { JsonObject } from '#core/workflow-format';

export interface Table {
  /** The names of the columns, in the order in which the items first have them. */
  columns: string[];
  rows: unknown[][];
}

/** One row for each item. Nested values have columns of their own: `o.k`, `list.0`. */
export function toTable(items: JsonObject[]): Table {
  const columns = new Map<string, number>();
  const rows = items.map((item) => {
    const row: unknown[] = [];
    for (const [name, value] of flatten(item, '')) {
      let column = columns.get(name);
      if (column === undefined) {
        column = columns.size;
        columns.set(name, column);
      }
      row[column] = value;
    }
    return row;
  });
  const names = [...columns.keys()];
  return { columns: names, rows: rows.map((row) => names.map((_name, column) => row[column])) };
}

function* flatten(value: object, prefix: string): Generator<[string, unknown]> {
  for (const [key, child] of Object.entries(value)) {
    if (typeof child === 'object' && child !== null && !(child instanceof Date))
      yield* flatten(child, `${prefix}${key}.`);
    else yield [prefix + key, child];
  }
}

/** The text of a value in a cell. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value instanceof Date ? value.toISOString() : String(value);
}

interface RowReading {
  /** Whether the first row names the columns. Without it, each item has its row as a list. */
  headerRow: boolean;
  /** Whether empty cells become empty text. They are left out otherwise. */
  includeEmptyCells: boolean;
}

/** One item for each row that is not empty. */
export function toItems(rows: unknown[][], { headerRow, includeEmptyCells }: RowReading): JsonObject[] {
  const filled = rows.filter((row) => row.some((cell) => !isEmpty(cell)));
  if (!headerRow) return filled.map((row) => ({ row }));
  const [head = [], ...body] = filled;
  const names = uniqueNames(head);
  return body.map((row) => {
    const cells = names.map((name, column): [string, unknown] => [name, row[column] ?? '']);
    return Object.fromEntries(cells.filter(([, value]) => includeEmptyCells || !isEmpty(value)));
  });
}

/** Names that repeat get a number: `b`, `b_1`. */
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
