/** The operations of the Data Table node on tables. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import { compareCells } from '../../data-tables/row-filter.ts';
import type { NodeContext } from '../../node-api/node-context.ts';

/** The operations on tables by n8n's names. Each returns the new items. */
export const tableOperations: Record<string, (call: TableCall) => Promise<Item[]>> = {
  async create({ context, index }) {
    const { dataTables, signal } = context;
    const name = String((await context.parameter('tableName', index)) ?? '').trim();
    const reuses = (await context.parameter('options.createIfNotExists', index, false)) === true;
    const existing = reuses && (await dataTables.list()).find((table) => table.name === name);
    if (existing) return [itemOf(existing)];
    const columns = await context.parameter<unknown>('columns.column', index, []);
    const list = Array.isArray(columns) ? columns.filter(isObject) : [];
    return [
      itemOf(
        await dataTables.create(
          name,
          list.map(({ type = 'string', ...more }) => ({ type, ...more })),
          signal,
        ),
      ),
    ];
  },
  async delete({ context, tableId }) {
    await context.dataTables.delete(tableId, context.signal);
    return [{ json: { success: true, deletedTableId: tableId } }];
  },
  async clear({ context, tableId }) {
    const deletedCount = await context.dataTables.clear(tableId, context.signal);
    return [{ json: { success: true, deletedCount } }];
  },
  async update({ context, tableId, index }) {
    const name = await context.parameter('newName', index);
    const renamed = await context.dataTables.rename(tableId, name, context.signal);
    return [{ json: { success: true, name: renamed.name } }];
  },
  async list({ context, index }) {
    const part = String((await context.parameter('options.filterName', index, '')) ?? '').toLowerCase();
    const field = await context.parameter('options.sortField', index, 'name');
    const sign = (await context.parameter('options.sortDirection', index, 'asc')) === 'desc' ? -1 : 1;
    const all = (await context.parameter('returnAll', index)) !== false;
    const limit = Number(await context.parameter('limit', index, 50));
    const key = field === 'createdAt' || field === 'updatedAt' ? field : 'name';
    const tables = (await context.dataTables.list()).filter(({ name }) => name.toLowerCase().includes(part));
    tables.sort((a, b) => sign * compareCells(a[key], b[key]));
    return (all ? tables : tables.slice(0, limit > 0 ? limit : 50)).map(itemOf);
  },
};

/** One item of the node. `tableId` is empty for operations on no single table. */
export interface TableCall {
  context: NodeContext;
  tableId: string;
  index: number;
}

const itemOf = (table: object): Item => ({ json: { ...table } as JsonObject });
