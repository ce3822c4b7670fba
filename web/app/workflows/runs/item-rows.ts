import type { Item } from '../api-types.ts';

export interface ItemTable {
  columns: string[];
  /** The texts of the values. Undefined when an item lacks the field. */
  rows: (string | undefined)[][];
}

/** Items as rows, and their fields as columns in the order of their first appearance. */
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
