/** Reads and writes rows of a worksheet. */
import type { Item, JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { objectList } from '../../shared/object-list.ts';
import { parseJsonParameter } from '../../shared/parse-json.ts';
import type { OperationHandler } from '../service-node.ts';
import { type Cell, type ExcelCall, ExcelClient, rowItems, valuesOf } from './excel-client.ts';
import { type Change, type Changed, cellsBelow, changeRows, partsOf } from './match-rows.ts';

export const readWorksheetRows: OperationHandler = async (call) => {
  const items: Item[] = [];
  for (const [index] of call.context.items().entries()) {
    const client = await ExcelClient.open(call, index);
    const cells = await rangeOf(client);
    const isRaw = await client.get('options.rawData', false);
    const select = isRaw ? await client.get('options.fields', '') : '';
    const query: JsonObject = select === '' ? {} : { $select: select };
    const range = cells === '' ? await client.used(query) : await client.range(cells, query);
    if (isRaw) {
      items.push(await rawItem(client, range, index));
      continue;
    }
    const values = valuesOf(range);
    const header = Number(await client.get('keyRow', 0));
    const first = Number(await client.get('dataStartRow', 1));
    const rows = values.filter((_row, at) => at >= first && at !== header);
    items.push(...rowItems(values[header] ?? [], rows, index));
  }
  return items;
};

export const appendWorksheetRows: OperationHandler = async (call) => {
  const client = await ExcelClient.open(call, 0);
  const used = await client.used();
  const address = String(used.address ?? '');
  const mode = await client.get('dataMode', 'define');
  if (mode !== 'raw' && !address.includes(':')) throw nothingThere();
  const columns = (valuesOf(used)[0] ?? []).map(String);
  const rows = mode === 'raw' ? await rawRows(client) : await mappedRows(call, columns);
  const { column, lastColumn, lastRow } = partsOf(address);
  const cells =
    call.context.version >= 2.2
      ? cellsBelow(address, rows[0]?.length ?? 0, rows.length)
      : `${column}${lastRow + 1}:${lastColumn}${lastRow + rows.length}`;
  const written = await client.write(cells, rows);
  if (await client.get('options.rawData', false)) return [await rawItem(client, written, 0)];
  return rowItems(columns, valuesOf(written), 0);
};

export const updateWorksheetRows: OperationHandler = (call) => changeWorksheet(call, false);
export const upsertWorksheetRows: OperationHandler = (call) => changeWorksheet(call, true);

async function changeWorksheet(call: ExcelCall, appends: boolean): Promise<Item[]> {
  const client = await ExcelClient.open(call, 0);
  const mode = await client.get('dataMode', 'define');
  const isRaw = await client.get('options.rawData', false);
  const select = isRaw && !appends ? await client.get('options.fields', '') : '';
  const query: JsonObject = select === '' ? {} : { $select: select };
  const chosen = await rangeOf(client);
  if (mode === 'raw') {
    const cells = chosen || cellsOf(await client.used({ select: 'address' }));
    const written = await client.write(cells, await rawRows(client), query);
    if (isRaw) return [await rawItem(client, written, 0)];
    const [columns = [], ...rows] = valuesOf(written);
    return rowItems(columns, rows, 0);
  }
  const range = chosen === '' ? await client.used() : await client.range(chosen);
  const values = range.values === undefined ? [] : valuesOf(range);
  if (values.length < (appends ? 1 : 2)) throw nothingThere();
  const changed = changeRows(values, await changesOf(call), await client.get('options.updateAll', false));
  const cells = chosen || cellsOf(range);
  const written = await client.write(
    appends ? await withNewRows(client, call, changed, cells) : cells,
    changed.values,
  );
  if (isRaw) return [await rawItem(client, written, 0)];
  const [columns = [], ...rows] = valuesOf(written);
  return rowItems(
    columns,
    rows.filter((_row, index) => changed.rows.includes(index + 1)),
    0,
  );
}

/** Adds rows that are missing to `changed`. @returns the cells that it takes then */
async function withNewRows(
  client: ExcelClient,
  call: ExcelCall,
  changed: Changed,
  cells: string,
): Promise<string> {
  const isBelowUsed =
    call.context.version > 2 && !(await client.get('options.appendAfterSelectedRange', false));
  if (isBelowUsed) {
    while (changed.values.length > 0 && changed.values.at(-1)!.every(isEmpty)) changed.values.pop();
  }
  if (changed.missing.length === 0) return cells;
  const columns = (changed.values[0] ?? []).map(String);
  for (const fields of changed.missing) {
    changed.rows.push(changed.values.length);
    changed.values.push(columns.map((column) => fields[column]));
  }
  const { from, lastColumn, lastRow } = partsOf(cells);
  const last = isBelowUsed
    ? partsOf(String((await client.used({ select: 'address' })).address ?? '')).lastRow
    : lastRow;
  return `${from}:${lastColumn}${last + changed.missing.length}`;
}

/** The changes that the items make, by the column that finds their rows. */
async function changesOf(call: ExcelCall): Promise<Change[]> {
  const changes: Change[] = [];
  for (const [index, { json }] of call.context.items().entries()) {
    const get = <T>(path: string, fallback: T) => call.context.parameter<T>(path, index, fallback);
    const column = String(await get('columnToMatchOn', ''));
    if ((await get('dataMode', 'define')) === 'autoMap') {
      if (json[column] !== undefined)
        changes.push({ column, value: json[column], fields: json, isWholeRow: true });
      continue;
    }
    changes.push({
      column,
      value: await get<unknown>('valueToMatchOn', ''),
      fields: await definedFields(call, index),
      isWholeRow: false,
    });
  }
  if (changes.length === 0) throw new NodeError('No item has the column that finds rows');
  return changes;
}

/** A row of each item. */
export async function mappedRows(call: ExcelCall, columns: string[]): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  for (const [index, { json }] of call.context.items().entries()) {
    const isAutomatic = (await call.context.parameter('dataMode', index, 'define')) === 'autoMap';
    const fields = isAutomatic ? json : await definedFields(call, index);
    // Cells without a value stay as they are.
    rows.push(columns.map((column) => fields[column] ?? null));
  }
  return rows;
}

async function definedFields({ context }: ExcelCall, index: number): Promise<JsonObject> {
  const list = objectList(await context.parameter('fieldsUi.values', index, []));
  return Object.fromEntries(list.map(({ column, fieldValue }) => [String(column), fieldValue]));
}

/** @throws NodeError for a value that is no list of rows */
export async function rawRows(client: ExcelClient): Promise<Cell[][]> {
  const rows = parseJsonParameter(await client.get<unknown>('data', ''), 'Data is not valid JSON');
  if (Array.isArray(rows) && rows.every(Array.isArray)) return rows;
  throw new NodeError('Data must be an array of arrays of strings');
}

export async function rawItem(client: ExcelClient, range: unknown, item: number): Promise<Item> {
  const property = (await client.get('options.dataProperty', 'data')) || 'data';
  return { json: { [property]: range }, pairedItem: { item } };
}

/** The chosen cells, or '' for all that are used. */
async function rangeOf(client: ExcelClient): Promise<string> {
  const cells = await client.get('range', '');
  if (!/^[a-z]+:[a-z]+$/i.test(cells)) return cells;
  throw new NodeError(`Name the first and the last row of the range too, such as A1:B5 instead of ${cells}`);
}

const cellsOf = ({ address }: JsonObject) =>
  String(address ?? '')
    .split('!')
    .at(-1)!;
const isEmpty = (cell: Cell) => cell === '' || cell === undefined || cell === null;
const nothingThere = () => new NodeError('The range is empty, so no columns are known: use the raw mode');
