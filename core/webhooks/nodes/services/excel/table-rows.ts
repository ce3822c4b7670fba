/** Reads and writes rows of a table in a workbook. */
import type { Item, JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { OperationHandler } from '../service-node.ts';
import { type Cell, ExcelClient, rowItems } from './excel-client.ts';
import { mappedRows, rawItem, rawRows } from './worksheet-rows.ts';

export const appendTableRows: OperationHandler = async (call) => {
  const client = await ExcelClient.open(call, 0);
  const columns = (await client.columnNames()).map(String);
  const isRaw = (await client.get('dataMode', 'define')) === 'raw';
  const values = isRaw ? await rawRows(client) : await mappedRows(call, columns);
  const index = await client.get('options.index', 0);
  const added = await client.addRows({ values, ...(index ? { index } : {}) });
  if (await client.get('options.rawData', false)) return [await rawItem(client, added, 0)];
  const rows = Array.isArray(added.values) ? (added.values as Cell[][]) : [];
  return rowItems(columns, rows, 0);
};

export const listTableColumns: OperationHandler = (call) =>
  forEachItem(call, async (client, item) => {
    const { isRaw, query, limit } = await listing(client);
    const columns = await client.listed('columns', query, limit);
    if (isRaw) return [await propertyItem(client, columns, item)];
    return columns.map(({ name }) => ({ json: { name }, pairedItem: { item } }));
  });

export const listTableRows: OperationHandler = (call) =>
  forEachItem(call, async (client, item) => {
    const { isRaw, query, limit } = await listing(client);
    const rows = await client.listed('rows', query, limit);
    if (isRaw) return [await propertyItem(client, rows, item)];
    const items = rowItems(await namesOf(client), rows.map(cellsOf), item);
    const columns = await client.get<unknown>('filters.column', []);
    if (!Array.isArray(columns) || columns.length === 0) return items;
    return items.map(({ json, ...rest }) => ({
      ...rest,
      json: Object.fromEntries(Object.entries(json).filter(([name]) => columns.includes(name))),
    }));
  });

export const lookUpTableRow: OperationHandler = (call) =>
  forEachItem(call, async (client, item) => {
    const column = await client.get('lookupColumn', '');
    const value = String(await client.get<unknown>('lookupValue', ''));
    const rows = await client.listed('rows', {});
    const names = await namesOf(client);
    if (!names.includes(column))
      throw new NodeError(`Column ${column} does not exist on the table selected`, { itemIndex: item });
    const found = rowItems(names, rows.map(cellsOf), item).filter(
      ({ json }) => String(json[column]) === value,
    );
    return (await client.get('options.returnAllMatches', false)) ? found : found.slice(0, 1);
  });

async function forEachItem(
  call: Parameters<OperationHandler>[0],
  list: (client: ExcelClient, item: number) => Promise<Item[]>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const [index] of call.context.items().entries())
    items.push(...(await list(await ExcelClient.open(call, index), index)));
  return items;
}

async function listing(client: ExcelClient) {
  const isRaw = (await client.get('rawData', false)) === true;
  const fields = isRaw ? await client.get('filters.fields', '') : '';
  const query: JsonObject = fields ? { $select: fields } : {};
  const limit = (await client.get('returnAll', false)) ? undefined : Number(await client.get('limit', 100));
  return { isRaw, query, limit };
}

async function namesOf(client: ExcelClient): Promise<string[]> {
  return (await client.listed('columns', { $select: 'name' })).map(({ name }) => String(name));
}

async function propertyItem(client: ExcelClient, list: JsonObject[], item: number): Promise<Item> {
  return { json: { [await client.get('dataProperty', 'data')]: list }, pairedItem: { item } };
}

const cellsOf = ({ values }: JsonObject): Cell[] =>
  Array.isArray(values) && Array.isArray(values[0]) ? values[0] : [];
