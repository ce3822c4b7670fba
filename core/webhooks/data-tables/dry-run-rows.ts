import type { Cell, DataTableRow } from './data-table.ts';
import type { ChangedRows } from './data-tables.ts';

/** The effect of a change: each row twice, with its state. A row that does not exist has null in all columns. */
export function dryRunRows({ before, after }: ChangedRows): Record<string, Cell>[] {
  return before.flatMap((row, index) => {
    const changed = after[index] ?? null;
    return [
      { ...(row ?? emptied(changed)), dryRunState: 'before' },
      { ...(changed ?? emptied(row)), dryRunState: 'after' },
    ];
  });
}

const emptied = (row: DataTableRow | null) =>
  Object.fromEntries(Object.keys(row ?? {}).map((name) => [name, null]));
