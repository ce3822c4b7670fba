/** Writes rows of a range, for versions 1 and 2 of the node. Its items leave as they came. */
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { OperationHandler } from '../service-node.ts';
import { RangeClient } from './range-client.ts';
import { type Cell, columnName, type SheetsCall } from './sheet-client.ts';

export const appendToRange: OperationHandler = async (call) => {
  const items = call.context.items();
  const client = await RangeClient.open(call);
  const header = await headerOf(client);
  await client.append(items.map(({ json }) => header.map((name) => cellOf(json[name]))));
  return items;
};

export const clearRange: OperationHandler = async (call) => {
  await (await RangeClient.open(call)).clear();
  return call.context.items();
};

export const updateRange: OperationHandler = (call) => update(call, false);
export const upsertRange: OperationHandler = (call) => update(call, true);

async function update(call: SheetsCall, appends: boolean) {
  const { context } = call;
  const items = context.items();
  const client = await RangeClient.open(call);
  if ((await context.parameter('rawData', 0, false)) === true) {
    const property = await context.parameter('dataProperty', 0, 'data');
    await client.write(items.map(({ json }) => ({ range: client.address, values: json[property] })));
    return items;
  }
  const values = await client.values();
  const header = (values[client.keyRow] ?? []).map((name) => String(name ?? ''));
  const key = String(await context.parameter('key', 0, 'id'));
  const keyColumn = header.indexOf(key);
  if (keyColumn < 0) throw new NodeError(`Could not find column for key "${key}"!`);
  const changes: { range: string; values: Cell[][] }[] = [];
  const added: Cell[][] = [];
  for (const { json } of items) {
    const value = json[key];
    if (value === undefined || value === null) continue;
    const row = values.findIndex(
      (cells, index) => index >= client.dataStartRow && String(cells[keyColumn] ?? '') === String(value),
    );
    if (row >= 0) changes.push(...cellsOf(client, header, row, json, key));
    else if (appends) added.push(header.map((name) => cellOf(json[name])));
  }
  if (changes.length > 0) await client.write(changes);
  if (added.length > 0) await client.append(added);
  return items;
}

/** One change for each cell of a row: others stay as they are. */
function cellsOf(client: RangeClient, header: string[], row: number, json: JsonObject, key: string) {
  return header.flatMap((name, column) =>
    name === '' || name === key || json[name] === undefined
      ? []
      : [{ range: client.cell(row, column, columnName), values: [[cellOf(json[name])]] }],
  );
}

async function headerOf(client: RangeClient): Promise<string[]> {
  const header = (await client.values())[client.keyRow];
  if (!header) throw new NodeError('Could not retrieve the key row!');
  return header.map((name) => String(name ?? ''));
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
