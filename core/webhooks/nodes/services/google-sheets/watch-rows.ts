/** Compares the rows of a sheet with those of an earlier look. */
import type { JsonObject } from '#core/workflow-format';
import type { Cell } from './sheet-client.ts';

/** A row that differs. `number` counts from 1, in the sheet's range. */
export interface ChangedRow {
  number: number;
  isAdded: boolean;
  previous: Cell[];
  current: Cell[];
}

export interface Comparison {
  /** Counts from 1. */
  headerRow: number;
  firstDataRow: number;
  /** Only these columns count. Empty: all of them. */
  columns: string[];
  /** Rows that were empty before are left out. */
  updatesOnly: boolean;
}

export function changedRows(before: Cell[][], now: Cell[][], comparison: Comparison): ChangedRow[] {
  const { headerRow, firstDataRow, columns, updatesOnly } = comparison;
  const header = headerOf(before, now, headerRow);
  const watched = columns.map((name) => header.indexOf(name)).filter((index) => index >= 0);
  const changed: ChangedRow[] = [];
  for (let index = firstDataRow - 1; index < now.length; index++) {
    if (index === headerRow - 1) continue;
    const [previous, current] = [trimmed(before[index] ?? []), trimmed(now[index] ?? [])];
    const differs =
      columns.length > 0
        ? watched.some((column) => (previous[column] ?? '') !== (current[column] ?? ''))
        : JSON.stringify(previous) !== JSON.stringify(current);
    const isAdded = before[index] === undefined;
    if (differs && !(updatesOnly && previous.length === 0))
      changed.push({ number: index + 1, isAdded, previous, current });
  }
  return changed;
}

/** The longer header of both looks. */
function headerOf(before: Cell[][], now: Cell[][], headerRow: number): string[] {
  const [earlier, current] = [before[headerRow - 1] ?? [], now[headerRow - 1] ?? []];
  return (current.length > earlier.length ? current : earlier).map((name) => String(name ?? ''));
}

/** Services leave out empty cells at the end of a row. */
function trimmed(row: Cell[]): Cell[] {
  const isEmpty = (cell: Cell | undefined) => cell === '' || cell === null || cell === undefined;
  let length = row.length;
  while (length > 0 && isEmpty(row[length - 1])) length--;
  return row.slice(0, length).map((cell) => (isEmpty(cell) ? '' : cell));
}

/**
 * The items of changed rows. As in n8n, 0 and false become empty texts.
 * @param include `new`, `old` or `both`
 */
export function rowItems(
  changed: ChangedRow[],
  header: Cell[],
  { include, withType }: { include: string; withType: boolean },
): JsonObject[] {
  const names = header.map((name) => String(name ?? ''));
  return changed.map(({ number, isAdded, previous, current }) => {
    const type = withType && { change_type: isAdded ? 'added' : 'updated' };
    const row = (cells: Cell[]): JsonObject => ({
      row_number: number,
      ...type,
      ...Object.fromEntries(names.map((name, index) => [name, cells[index] || ''])),
    });
    if (include === 'old') return row(previous);
    if (include !== 'both') return row(current);
    const [old, fresh] = [row(previous), row(current)];
    const changes = Object.keys(fresh)
      .filter((name) => name !== 'row_number' && old[name] !== fresh[name])
      .map((name) => [name, { previous: old[name], current: fresh[name] }]);
    const differences = { row_number: number, ...Object.fromEntries(changes) };
    return { previous: old, current: fresh, differences };
  });
}
