import type { Item } from '../api-types.ts';

export interface ItemTable {
  columns: string[];
  /** A cell is the text of a value; undefined where the item has no such field. */
  rows: (string | undefined)[][];
}

/** Items with their fields as columns, in the order in which they first appear. */
export function toItemTable(items: Item[]): ItemTable {
  const columns = [...new Set(items.flatMap(({ json }) => Object.keys(json)))];
  const rows = items.map(({ json }) =>
    columns.map((column) => (Object.hasOwn(json, column) ? textOf(json[column]) : undefined)),
  );
  return { columns, rows };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
