/** Data tables: their columns, their rows, and the checks of names and values. */
import { isObject } from '#core/base';
import { parseDate } from '../conditions/parse-date.ts';
import { NodeError } from '../node-api/node-error.ts';

/** The types of columns, by n8n's names. */
export const CELL_TYPES = ['string', 'number', 'boolean', 'date'] as const;
/** The type of a column. */
export type CellType = (typeof CELL_TYPES)[number];
/** The value of a column in a row. Dates are texts in ISO 8601, in UTC. */
export type Cell = string | number | boolean | null;

/** A column. Rows refer to its id, so its name may change. */
export interface DataTableColumn {
  id: string;
  name: string;
  type: CellType;
  /** Its place, from 0. */
  index: number;
}

/** A table without its rows. */
export interface DataTable {
  id: string;
  name: string;
  columns: DataTableColumn[];
  createdAt: string;
  updatedAt: string;
}

/** A row with the values of its columns by their names. */
export interface DataTableRow extends Record<string, Cell> {
  /** Numbers from 1. A number is never used again in its table. */
  id: number;
  createdAt: string;
  updatedAt: string;
}

/** A request that a data table refuses. */
export class DataTableError extends NodeError {
  constructor(
    message: string,
    /** 404 or 409 in the control API, otherwise 400. */
    readonly status = 400,
  ) {
    super(message);
  }
}

/** The columns that every table has. */
export const SYSTEM_COLUMNS: Record<string, CellType> = {
  id: 'number',
  createdAt: 'date',
  updatedAt: 'date',
};

const MAX_TABLE_NAME = 128;
const MAX_COLUMN_NAME = 63;

/** @throws DataTableError for a name that is empty or too long */
export function checkedTableName(value: unknown): string {
  const name = typeof value === 'string' ? value.trim() : '';
  if (name === '') throw new DataTableError('The name of a data table must not be empty');
  if (name.length > MAX_TABLE_NAME)
    throw new DataTableError(`The name of a data table has ${MAX_TABLE_NAME} characters at most`);
  return name;
}

/** @throws DataTableError for a name that n8n's tables cannot have, or that the table has already */
export function checkedColumnName(value: unknown, table: Pick<DataTable, 'name' | 'columns'>): string {
  const name = typeof value === 'string' ? value.trim() : '';
  if (!/^[a-zA-Z]\w*$/.test(name) || name.length > MAX_COLUMN_NAME) {
    throw new DataTableError(
      'Only alphabetical characters and non-leading numbers and underscores are allowed for column names, and the maximum length is 63 characters.',
    );
  }
  if (Object.hasOwn(SYSTEM_COLUMNS, name))
    throw new DataTableError(`Column name "${name}" is reserved as a system column name.`, 409);
  if (table.columns.some((column) => column.name === name)) {
    throw new DataTableError(
      `Data table column with name '${name}' already exists in data table '${table.name}'`,
      409,
    );
  }
  return name;
}

/** @throws DataTableError for another type */
export function checkedCellType(value: unknown): CellType {
  const type = CELL_TYPES.find((name) => name === value);
  if (!type) throw new DataTableError(`The type of a column must be one of ${CELL_TYPES.join(', ')}`);
  return type;
}

/**
 * The values of a row by the ids of their columns.
 * @throws DataTableError for a column that is not there, and a value that does not fit
 */
export function typedCells(row: unknown, columns: DataTableColumn[]): Record<string, Cell> {
  if (!isObject(row)) throw new DataTableError('A row must be an object');
  const byName = new Map(columns.map((column) => [column.name, column]));
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const column = byName.get(name);
      if (!column) throw new DataTableError(`unknown column name '${name}'`);
      return [column.id, typedCell(value, column)];
    }),
  );
}

/**
 * The value of a column, converted where n8n converts it.
 * @throws DataTableError for a value that does not fit the type of the column
 */
export function typedCell(value: unknown, { name, type }: Pick<DataTableColumn, 'name' | 'type'>): Cell {
  if (value === null || value === undefined) return null;
  const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (type === 'string') return shown;
  const cell = typeof value === 'object' ? undefined : converted(value, type);
  if (cell !== undefined) return cell;
  const expected = type === 'date' ? 'dateTime' : type;
  throw new DataTableError(
    `value '${shown}' does not match column type '${type}': '${name}' expects a ${expected} but we got '${shown}'`,
  );
}

function converted(value: unknown, type: Exclude<CellType, 'string'>): Cell | undefined {
  if (type === 'number') {
    const number = Number(value);
    return Number.isFinite(number) ? number : undefined;
  }
  if (type === 'boolean') {
    if (value === true || value === 'true' || value === 1 || value === '1') return true;
    return value === false || value === 'false' || value === 0 || value === '0' ? false : undefined;
  }
  return parseDate(value, 'utc')?.toUTC().toISO() ?? undefined;
}
