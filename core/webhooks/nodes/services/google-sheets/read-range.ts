/** Reads rows of a range, for versions 1 and 2 of the node. */
import type { Item, JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { OperationHandler } from '../service-node.ts';
import { RangeClient } from './range-client.ts';
import type { Cell } from './sheet-client.ts';

export const readRange: OperationHandler = async (call) => {
  const client = await RangeClient.open(call);
  const values = await client.values();
  const get = <T>(path: string, fallback: T) => call.context.parameter<T>(path, 0, fallback);
  if ((await get('rawData', false)) === true)
    return [paired({ [await get('dataProperty', 'data')]: values }, 0)];
  const rows = rowsOf(values, client.keyRow, client.dataStartRow);
  if (rows.length === 0 && (await get('options.continue', false)) === true) rows.push({});
  return rows.map((json) => paired(json, 0));
};

export const lookUpRows: OperationHandler = async (call) => {
  const client = await RangeClient.open(call);
  const values = await client.values();
  const rows = rowsOf(values, client.keyRow, client.dataStartRow);
  const header = (values[client.keyRow] ?? []).map(String);
  const get = <T>(path: string, index: number, fallback: T) =>
    call.context.parameter<T>(path, index, fallback);
  const all = (await get('options.returnAllMatches', 0, false)) === true;
  const continues = (await get('options.continue', 0, false)) === true;
  const found: Item[] = [];
  for (const index of call.context.items().keys()) {
    const column = String(await get('lookupColumn', index, ''));
    if (!header.includes(column)) throw new NodeError(`The column "${column}" could not be found`);
    const value = String(await get('lookupValue', index, ''));
    const matching = rows.filter((row) => String(row[column] ?? '') === value);
    if (all) found.push(...matching.map((json) => paired(json, index)));
    else found.push(paired(matching[0] ?? {}, index));
  }
  if (all && found.length === 0 && continues) return [paired({}, 0)];
  const isOneEmpty = found.length === 1 && Object.keys(found[0]!.json).length === 0;
  return isOneEmpty && !continues && !all ? [] : found;
};

/** Cells without a name in the header are left out. */
function rowsOf(values: Cell[][], keyRow: number, dataStartRow: number): JsonObject[] {
  if (keyRow < 0 || dataStartRow < keyRow || keyRow >= values.length) return [];
  const header = values[keyRow]!.map((name) => String(name ?? ''));
  return values.slice(dataStartRow).map((row) => {
    const named = row.map((cell, index) => [header[index] ?? '', cell] as const);
    return Object.fromEntries(named.filter(([name]) => name !== ''));
  });
}

function paired(json: JsonObject, item: number): Item {
  return { json, pairedItem: { item } };
}
