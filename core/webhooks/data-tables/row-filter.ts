/** Selects rows of data tables by conditions. */
import { isObject } from '#core/base';
import { type Cell, type DataTable, DataTableError, SYSTEM_COLUMNS, typedCell } from './data-table.ts';

/** The conditions of n8n's filters. */
export const CONDITIONS = ['eq', 'neq', 'like', 'ilike', 'gt', 'gte', 'lt', 'lte'] as const;
type Condition = (typeof CONDITIONS)[number];

/** Conditions of which any or all must hold. Without a condition all rows match. */
export interface RowFilter {
  type: 'and' | 'or';
  filters: { columnName: string; condition: string; value: unknown }[];
}

/** A value of a row by the name of its column. */
export type CellOf = (name: string) => Cell;

/**
 * Reads a filter as the control API takes it.
 * @throws DataTableError
 */
export function readFilter(value: unknown): RowFilter {
  if (!isObject(value) || !Array.isArray(value.filters) || !value.filters.every(isObject))
    throw new DataTableError('A filter must be an object with a list of filters');
  const { type = 'and' } = value;
  if (type !== 'and' && type !== 'or') throw new DataTableError('The type of a filter must be and, or');
  const filters = value.filters.map(({ columnName, condition = 'eq', value: operand = null }) => ({
    columnName: String(columnName),
    condition: String(condition),
    value: operand,
  }));
  return { type, filters };
}

/**
 * The test of a filter, checked against the columns of the table.
 * @throws DataTableError for a column or condition that does not exist, and a value that does not fit
 */
export function rowTest(
  { type, filters }: RowFilter,
  { columns }: Pick<DataTable, 'columns'>,
): (row: CellOf) => boolean {
  const types = new Map([
    ...Object.entries(SYSTEM_COLUMNS),
    ...columns.map((column) => [column.name, column.type] as const),
  ]);
  const tests = filters.map(({ columnName, condition, value }) => {
    const columnType = types.get(columnName);
    if (!columnType) throw new DataTableError(`unknown column name '${columnName}'`);
    const checked = CONDITIONS.find((name) => name === condition);
    if (!checked) throw new DataTableError(`Unsupported filter condition: ${condition}`);
    const operand = typedCell(value, { name: columnName, type: columnType });
    const test = cellTest(checked, operand);
    return (row: CellOf) => test(row(columnName));
  });
  if (tests.length === 0) return () => true;
  return type === 'or' ? (row) => tests.some((test) => test(row)) : (row) => tests.every((test) => test(row));
}

/** The test for a text in any of the columns, without regard to case. `%` stands for any characters. */
export function searchTest(text: string, { columns }: Pick<DataTable, 'columns'>): (row: CellOf) => boolean {
  const test = likeTest(text.toLowerCase());
  return (row) => columns.some(({ name }) => test(String(row(name) ?? '').toLowerCase()));
}

/** Compares cells of one type. Missing values come first. */
export function compareCells(a: Cell, b: Cell): number {
  if (a === b) return 0;
  if (a === null) return -1;
  return b === null || a > b ? 1 : -1;
}

function cellTest(condition: Condition, operand: Cell): (cell: Cell) => boolean {
  if (condition === 'eq') return (cell) => cell === operand;
  // A missing value is different from every value.
  if (condition === 'neq') return (cell) => cell !== operand;
  if (operand === null)
    throw new DataTableError(`${condition.toUpperCase()} filter value cannot be null or undefined`);
  if (condition === 'like' || condition === 'ilike') {
    if (typeof operand !== 'string')
      throw new DataTableError(`${condition.toUpperCase()} filter value must be a string`);
    if (condition === 'like') {
      const test = likeTest(operand);
      return (cell) => cell !== null && test(String(cell));
    }
    const test = likeTest(operand.toLowerCase());
    return (cell) => cell !== null && test(String(cell).toLowerCase());
  }
  return (cell) => cell !== null && COMPARISONS[condition](compareCells(cell, operand));
}

const COMPARISONS: Record<'gt' | 'gte' | 'lt' | 'lte', (order: number) => boolean> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

/** A pattern with `%`, or a text that must occur. The time grows with the length of the text, not with the pattern's form. */
function likeTest(pattern: string): (text: string) => boolean {
  if (!pattern.includes('%')) return (text) => text.includes(pattern);
  const parts = pattern.split('%');
  const first = parts[0]!;
  const last = parts.at(-1)!;
  const middle = parts.slice(1, -1);
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    const end = text.length - last.length;
    for (const part of middle) {
      const at = text.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return from <= end;
  };
}
