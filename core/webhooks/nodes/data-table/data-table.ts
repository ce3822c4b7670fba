/** Reads and changes the data tables of this server. */
import { isObject } from '#core/base';
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem, perItem } from '../../node-api/per-item.ts';
import { parameters } from './parameters.ts';
import { newRow, rowOperations } from './row-operations.ts';
import { tableOperations } from './table-operations.ts';

const WITHOUT_TABLE = ['create', 'list'];

export const dataTable: NodeType = {
  name: 'n8n-nodes-base.dataTable',
  label: 'Data Table',
  description: 'Keeps rows in tables that all workflows share.',
  group: 'data',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  parameters,
  async execute(context) {
    const resource = context.literal<string>('resource');
    const operation = context.literal<string>('operation');
    if (resource === 'row' && operation === 'insert' && hasFixedTable(context)) {
      return [await insertTogether(context)];
    }
    const operations = resource === 'table' ? tableOperations : rowOperations;
    const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (!run) throw new NodeError(`Unknown operation "${operation}" of the resource "${resource}"`);
    const needsTable = resource === 'row' || !WITHOUT_TABLE.includes(operation);
    return perItem(context, async (item, index) => {
      const tableId = needsTable ? await tableIdOf(context, index) : '';
      return run({ context, tableId, item, index });
    });
  },
};

/** Inserts the rows of all items at once: all are stored, or none. */
async function insertTogether(context: NodeContext): Promise<Item[]> {
  const items = context.items();
  try {
    const tableId = await tableIdOf(context, 0);
    const rows: unknown[] = [];
    for (const [index, item] of items.entries()) rows.push(await newRow(context, item, index));
    const inserted = await context.dataTables.insert(tableId, rows, context.signal);
    if ((await context.parameter('options.optimizeBulk', 0, false)) === true)
      return [{ json: { success: true, insertedRows: inserted.length } }];
    return inserted.map((json, item) => ({ json, pairedItem: { item } }));
  } catch (error) {
    return items.map((_item, index) => failedItem(context, error, index));
  }
}

/** Whether all items have the same table. */
function hasFixedTable(context: NodeContext): boolean {
  const locator = context.literal<unknown>('dataTableId');
  const value = isObject(locator) ? locator.value : locator;
  return typeof value === 'string' && !value.includes('{');
}

async function tableIdOf(context: NodeContext, index: number): Promise<string> {
  const locator = await context.parameter<unknown>('dataTableId', index);
  const value = String((isObject(locator) ? locator.value : locator) ?? '').trim();
  if (value === '') throw new NodeError('No data table is chosen', { itemIndex: index });
  return isObject(locator) && locator.mode === 'name' ? (await context.dataTables.byName(value)).id : value;
}
