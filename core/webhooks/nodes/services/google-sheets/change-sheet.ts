/** Clears and deletes parts of a sheet, and the sheet itself. */
import { isObject } from '#core/base';
import type { Item } from '#core/workflow-format';
import type { OperationHandler } from '../service-node.ts';
import { columnIndex, columnName, SheetClient, type SheetsCall } from './sheet-client.ts';

export const clearSheet: OperationHandler = (call) =>
  forEachItem(call, async (client, index) => {
    const get = (path: string, fallback: unknown) => call.context.parameter<unknown>(path, index, fallback);
    const what = await get('clear', 'wholeSheet');
    const start = await get('startIndex', '');
    if (what === 'specificRows') {
      const first = Number(start || 1);
      return client.clear(`${first}:${first + Number(await get('rowsToDelete', 1)) - 1}`);
    }
    if (what === 'specificColumns') {
      const first = columnIndex(String(start || 'A'));
      const last = first + Number(await get('columnsToDelete', 1)) - 1;
      return client.clear(`${columnName(first)}:${columnName(last)}`);
    }
    if (what === 'specificRange') return client.clear(String(await get('range', 'A:F')));
    return client.clear((await get('keepFirstRow', false)) === true ? 'A2:ZZZ' : '');
  });

export const deleteRowsOrColumns: OperationHandler = (call) =>
  forEachItem(call, async (client, index) => {
    const get = (path: string, fallback: unknown) => call.context.parameter<unknown>(path, index, fallback);
    const isColumns = (await get('toDelete', 'rows')) === 'columns';
    const start = await get('startIndex', '');
    const startIndex = isColumns ? columnIndex(String(start || 'A')) : Number(start || 2) - 1;
    const range = {
      sheetId: client.sheet.sheetId,
      dimension: isColumns ? 'COLUMNS' : 'ROWS',
      startIndex,
      endIndex: startIndex + Number(await get('numberToDelete', 1)),
    };
    await client.change({ deleteDimension: { range } });
    return { success: true };
  });

export const removeSheet: OperationHandler = (call) =>
  forEachItem(call, async (client) => {
    await client.change({ deleteSheet: { sheetId: client.sheet.sheetId } });
    return { success: true };
  });

/** @param change without a result, the item passes through */
async function forEachItem(
  call: SheetsCall,
  change: (client: SheetClient, index: number) => Promise<unknown>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const [index, item] of call.context.items().entries()) {
    const json = await change(await SheetClient.open(call, index), index);
    items.push({ json: isObject(json) ? json : item.json, pairedItem: { item: index } });
  }
  return items;
}
