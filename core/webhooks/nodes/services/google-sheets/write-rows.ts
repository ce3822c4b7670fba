/** Appends and updates rows. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { mappedColumns } from '../filters.ts';
import type { OperationHandler } from '../service-node.ts';
import { type Row, toRows } from './read-rows.ts';
import { type Cell, columnName, SheetClient, type SheetsCall } from './sheet-client.ts';

interface Settings {
  headerRow: number;
  firstDataRow: number;
  valueInputOption: string;
  extra: string;
  isAutomatic: boolean;
  /** The columns by which rows are found. */
  matching: string[];
}

export const appendRows: OperationHandler = (call) => write(call, { appends: true, updates: false });
export const updateRows: OperationHandler = (call) => write(call, { appends: false, updates: true });
export const appendOrUpdateRows: OperationHandler = (call) => write(call, { appends: true, updates: true });

async function write(call: SheetsCall, mode: { appends: boolean; updates: boolean }): Promise<Item[]> {
  const inputs = call.context.items();
  if (inputs.length === 0 || (await call.context.parameter('dataMode', 0, '')) === 'nothing') return [];
  const settings = await readSettings(call);
  const client = await SheetClient.open(call, 0);
  const fields = await Promise.all(inputs.map(({ json }, index) => fieldsOf(call, json, index)));
  const values = await client.values('', {
    valueRenderOption: 'UNFORMATTED_VALUE',
    dateTimeRenderOption: 'FORMATTED_STRING',
  });
  const header = (values[settings.headerRow - 1] ?? []).map(String);
  const added = newColumns(header, fields, settings);
  const columns = [...header, ...added];
  const rows = toRows(values, settings.headerRow, settings.firstDataRow);
  const changes: { cells: string; values: Cell[][] }[] = [];
  const appended: Cell[][] = [];
  const output: Item[] = [];
  if (added.length > 0) {
    const first = columnName(header.length);
    changes.push({
      cells: `${first}${settings.headerRow}:${columnName(columns.length - 1)}${settings.headerRow}`,
      values: [added],
    });
  }
  for (const [index, row] of fields.entries()) {
    const found = mode.updates ? findRow(rows, row, settings.matching, index) : undefined;
    if (found) changes.push(...cellsOf(found.row_number, row, columns, settings.matching));
    else if (mode.appends) appended.push(columns.map((column) => cellOf(row[column])));
    if (found || mode.appends)
      output.push({
        json: call.context.version < 4 ? inputs[index]!.json : row,
        pairedItem: { item: index },
      });
  }
  if (changes.length > 0) await client.write(changes, settings.valueInputOption);
  if (appended.length > 0) await client.append(settings.headerRow, appended, settings.valueInputOption);
  return output;
}

async function readSettings({ context }: SheetsCall): Promise<Settings> {
  const get = <T>(path: string, fallback: T) => context.parameter<T>(path, 0, fallback);
  const location =
    (await get<{ headerRow?: number; firstDataRow?: number }>('options.locationDefine.values', {})) ?? {};
  const headerRow = Number(location.headerRow ?? 1);
  const columns = await get<unknown>('columns', {});
  const isOld = context.version < 4;
  const matching = isOld
    ? [String((await get('columnToMatchOn', '')) ?? '')].filter(Boolean)
    : isObject(columns) && Array.isArray(columns.matchingColumns)
      ? columns.matchingColumns.map(String)
      : [];
  return {
    headerRow,
    firstDataRow: Number(location.firstDataRow ?? headerRow + 1),
    valueInputOption: await get('options.cellFormat', context.version < 4.1 ? 'RAW' : 'USER_ENTERED'),
    extra: await get('options.handlingExtraData', 'insertInNewColumn'),
    isAutomatic: isOld
      ? (await get('dataMode', 'defineBelow')) === 'autoMapInputData'
      : isObject(columns) && columns.mappingMode === 'autoMapInputData',
    matching,
  };
}

async function fieldsOf({ context }: SheetsCall, json: JsonObject, index: number): Promise<JsonObject> {
  if (context.version >= 4)
    return mappedColumns(await context.parameter<unknown>('columns', index, {}), json);
  const get = <T>(path: string, fallback: T) => context.parameter<T>(path, index, fallback);
  if ((await get('dataMode', 'defineBelow')) === 'autoMapInputData') return json;
  const groups = (await get<unknown>('fieldsUi', {})) ?? {};
  const [listed = []] = Object.values(groups);
  const matched = String((await get('columnToMatchOn', '')) ?? '');
  return {
    ...(matched !== '' && { [matched]: await get('valueToMatchOn', '') }),
    ...Object.fromEntries((Array.isArray(listed) ? listed.filter(isObject) : []).map(fieldOf)),
  };
}

/** A field of version 3. Its column may be one that the sheet lacks. */
function fieldOf({ column, fieldId, columnName: added, fieldValue }: JsonObject): [string, unknown] {
  const name = String(column ?? fieldId ?? '');
  return [name === 'newColumn' ? String(added ?? '') : name, fieldValue];
}

/** Columns that the sheet lacks. The number of a row is no column. */
function newColumns(header: string[], fields: JsonObject[], { extra, isAutomatic }: Settings): string[] {
  const names = new Set(fields.flatMap((row) => Object.keys(row)));
  const added = [...names].filter((name) => name !== 'row_number' && !header.includes(name));
  if (header.length === 0 || extra === 'insertInNewColumn') return added;
  if (isAutomatic && extra === 'error' && added.length > 0) {
    throw new NodeError('Unexpected fields in node input', {
      description: `The sheet has no column ${added.join(', ')}.`,
    });
  }
  return [];
}

/** @throws NodeError if the row has no value to find it by */
function findRow(rows: Row[], row: JsonObject, matching: string[], index: number): Row | undefined {
  const [column] = matching;
  if (column === undefined)
    throw new NodeError("The 'Column to Match On' parameter is required", { itemIndex: index });
  const value = row[column];
  if (value === undefined || value === '') return undefined;
  return rows.find((candidate) => String(candidate[column] ?? '') === String(value));
}

/** One range for each cell: others of the row stay as they are. */
function cellsOf(rowNumber: number, row: JsonObject, columns: string[], matching: string[]) {
  return columns.flatMap((column, index) => {
    if (row[column] === undefined || matching.includes(column)) return [];
    return [{ cells: `${columnName(index)}${rowNumber}`, values: [[cellOf(row[column])]] }];
  });
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
