/** Reads rows as items. */
import type { Item, JsonObject } from '#core/workflow-format';
import type { OperationHandler } from '../service-node.ts';
import { type Cell, SheetClient, type SheetsCall } from './sheet-client.ts';

/** The values of a row by the names of the header, and its number. */
export type Row = JsonObject & { row_number: number };

interface Location {
  rangeDefinition?: string;
  readRowsUntil?: string;
  headerRow?: number;
  firstDataRow?: number;
  range?: string;
}

interface Filter {
  lookupColumn?: string;
  lookupValue?: unknown;
}

export const readRows: OperationHandler = async (call) => {
  const { context } = call;
  const items: Item[] = [];
  for (const [index] of context.items().entries()) {
    const client = await SheetClient.open(call, index);
    const rows = await rowsOf(client, call, index);
    const found = await matching(rows, call, index);
    items.push(...found.map((json) => ({ json, pairedItem: { item: index } })));
  }
  return items;
};

async function rowsOf(client: SheetClient, { context }: SheetsCall, index: number): Promise<Row[]> {
  const get = <T>(path: string, fallback: T) => context.parameter<T>(path, index, fallback);
  const location = (await get<Location>('options.dataLocationOnSheet.values', {})) ?? {};
  const format =
    (await get<{ general?: string; date?: string }>('options.outputFormatting.values', {})) ?? {};
  const isRange = location.rangeDefinition === 'specifyRangeA1';
  const cells = isRange ? String(location.range ?? '') : '';
  const values = await client.values(cells, {
    valueRenderOption: format.general ?? 'UNFORMATTED_VALUE',
    dateTimeRenderOption: format.date ?? 'FORMATTED_STRING',
  });
  const isPlaced = location.rangeDefinition === 'specifyRange';
  const headerRow = isPlaced ? Number(location.headerRow ?? 1) : 1;
  const firstDataRow = isPlaced ? Number(location.firstDataRow ?? 2) : headerRow + 1;
  const offset = isRange ? Number(/\d+/.exec(cells)?.[0] ?? 1) - 1 : 0;
  const rows = toRows(values, headerRow, firstDataRow, offset);
  if (location.readRowsUntil !== 'firstEmptyRow') return rows;
  const end = rows.findIndex(({ row_number }, position) => row_number !== firstDataRow + offset + position);
  return end < 0 ? rows : rows.slice(0, end);
}

/**
 * The rows that are not empty.
 * @param offset rows of the sheet above the values
 */
export function toRows(values: Cell[][], headerRow: number, firstDataRow: number, offset = 0): Row[] {
  const header = (values[headerRow - 1] ?? []).map((name, index) => String(name ?? '') || `col_${index + 1}`);
  return values.slice(firstDataRow - 1).flatMap((cells, index) => {
    if (cells.every((cell) => cell === '' || cell === null)) return [];
    const fields = header.map((name, column) => [name, cells[column] ?? '']);
    return [{ row_number: firstDataRow + index + offset, ...Object.fromEntries(fields) }];
  });
}

async function matching(rows: Row[], { context }: SheetsCall, index: number): Promise<Row[]> {
  const get = <T>(path: string, fallback: T) => context.parameter<T>(path, index, fallback);
  const filters = ((await get<Filter[]>('filtersUI.values', [])) ?? []).filter(
    ({ lookupColumn }) => lookupColumn,
  );
  if (filters.length === 0) return rows;
  const combine = (await get('combineFilters', '')) || (context.version < 4.3 ? 'OR' : 'AND');
  const holds =
    (row: Row) =>
    ({ lookupColumn, lookupValue }: Filter) =>
      String(row[lookupColumn!] ?? '') === String(lookupValue ?? '');
  const found = rows.filter((row) =>
    combine === 'OR' ? filters.some(holds(row)) : filters.every(holds(row)),
  );
  const all =
    context.version < 4.5
      ? (await get('options.returnAllMatches', 'returnFirstMatch')) === 'returnAllMatches'
      : (await get('options.returnFirstMatch', false)) !== true;
  return all ? found : found.slice(0, 1);
}
