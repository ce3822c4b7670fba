/** Data tables and rows in the form of their records. */
import { newRecordId } from '../record-id.ts';
import {
  type Cell,
  checkedCellType,
  checkedColumnName,
  type DataTable,
  type DataTableColumn,
  DataTableError,
  type DataTableRow,
} from './data-table.ts';

/** A table as it is stored. */
export interface StoredTable extends DataTable {
  /** The number of the newest row that the table ever had. */
  lastRow: number;
  /** The size of all values. */
  bytes: number;
}

/** A row as it is stored. */
export interface StoredRow {
  tableId: string;
  number: number;
  createdAt: string;
  updatedAt: string;
  /** The values by the ids of their columns. Missing ones are null. */
  cells: Record<string, Cell>;
}

/** Keys of rows sort by their numbers. */
export const keyOf = ({ tableId, number }: StoredRow) => `${tableId} ${String(number).padStart(12, '0')}`;

/** The size of the values of rows. */
export const bytesOf = (rows: StoredRow[]) =>
  rows.reduce((sum, { cells }) => sum + JSON.stringify(cells).length, 0);

/** @throws DataTableError for a name or type that the table cannot have */
export function newColumn(
  { name, type }: { name?: unknown; type?: unknown },
  table: StoredTable,
): DataTableColumn {
  return {
    id: newRecordId(),
    name: checkedColumnName(name, table),
    type: checkedCellType(type),
    index: table.columns.length,
  };
}

/** @throws DataTableError 404 */
export function columnOf({ id, columns }: DataTable, columnId: string): DataTableColumn {
  const column = columns.find((candidate) => candidate.id === columnId);
  if (!column)
    throw new DataTableError(`Could not find the column '${columnId}' in the data table: ${id}`, 404);
  return column;
}

/** A table as callers see it. */
export function shownTable({ id, name, columns, createdAt, updatedAt }: StoredTable): DataTable {
  return { id, name, columns, createdAt, updatedAt };
}

/** A row as callers see it, with the values of all columns. */
export function shownRow(
  { number, createdAt, updatedAt, cells }: StoredRow,
  { columns }: DataTable,
): DataTableRow {
  const row: DataTableRow = { id: number, createdAt, updatedAt };
  for (const { id, name } of columns) row[name] = cells[id] ?? null;
  return row;
}
