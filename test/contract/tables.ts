/** Reads the contract tables, and replaces their named shapes. */
import { readdirSync, readFileSync } from 'node:fs';
import type { ContractTable, Row } from './row.ts';

const folder = new URL('./tables/', import.meta.url);

export interface NamedTable extends ContractTable {
  file: string;
}

export function loadTables(): NamedTable[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const table = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as ContractTable & {
        shapes?: Record<string, unknown>;
      };
      const rows = expand(table.rows, table.shapes ?? {}) as Row[];
      return { ...table, file: file.replace('.json', ''), rows };
    });
}

/** `"$name"` stands for the table's shape of that name. Shapes may use one another. */
function expand(value: unknown, shapes: Record<string, unknown>): unknown {
  if (typeof value === 'string' && value.startsWith('$') && value.length > 1) {
    const name = value.slice(1);
    if (!(name in shapes)) throw new Error(`there is no shape ${value}`);
    return expand(shapes[name], shapes);
  }
  if (Array.isArray(value)) return value.map((item) => expand(item, shapes));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, shapes)]));
}
