/** The operations of the Data Table node on rows. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import { SYSTEM_COLUMNS } from '../../data-tables/data-table.ts';
import type { RowChange } from '../../data-tables/data-tables.ts';
import { dryRunRows } from '../../data-tables/dry-run-rows.ts';
import type { RowFilter } from '../../data-tables/row-filter.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';

/** One item of the node, with the table that it works on. */
export interface RowCall {
  context: NodeContext;
  tableId: string;
  item: Item;
  index: number;
}

/** The operations on rows by n8n's names. Each returns the new items. */
export const rowOperations: Record<string, (call: RowCall) => Promise<Item | Item[]>> = {
  async insert({ context, tableId, item, index }) {
    const rows = await context.dataTables.insert(
      tableId,
      [await newRow(context, item, index)],
      context.signal,
    );
    const isShort = (await context.parameter('options.optimizeBulk', index, false)) === true;
    return isShort ? { json: { success: true, insertedRows: rows.length } } : itemsOf(rows);
  },
  async get({ context, tableId, index }) {
    const all = (await context.parameter('returnAll', index)) === true;
    const ordered = (await context.parameter('orderBy', index)) === true;
    const column = String((await context.parameter('orderByColumn', index)) ?? '');
    const descending = (await context.parameter('orderByDirection', index)) !== 'ASC';
    const limit = Number(await context.parameter('limit', index, 50));
    const { rows } = await context.dataTables.rows(tableId, {
      filter: await filterOf(context, index),
      ...(ordered && column !== '' && { sort: { column, descending } }),
      ...(!all && { take: limit > 0 ? limit : 50 }),
    });
    return itemsOf(rows);
  },
  async rowExists({ context, tableId, item, index }) {
    return (await hasRow(context, tableId, index)) ? item : [];
  },
  async rowNotExists({ context, tableId, item, index }) {
    return (await hasRow(context, tableId, index)) ? [] : item;
  },
  async update({ context, tableId, item, index }) {
    const isDry = await isDryRun(context, index);
    const change = await changeOf(context, item, index);
    const changed = await context.dataTables.update(tableId, change, context.signal, isDry);
    return itemsOf(isDry ? dryRunRows(changed) : (changed.after as JsonObject[]));
  },
  async upsert({ context, tableId, item, index }) {
    const isDry = await isDryRun(context, index);
    const change = await changeOf(context, item, index);
    const changed = await context.dataTables.upsert(tableId, change, context.signal, isDry);
    return itemsOf(isDry ? dryRunRows(changed) : (changed.after as JsonObject[]));
  },
  async deleteRows({ context, tableId, index }) {
    const isDry = await isDryRun(context, index);
    const filter = await requiredFilter(context, index);
    const rows = await context.dataTables.deleteRows(tableId, filter, context.signal, isDry);
    return itemsOf(isDry ? dryRunRows({ before: rows, after: rows.map(() => null) }) : rows);
  },
};

/** The values of a new row: those that the node names, or those of the item without the columns of the system. */
export async function newRow(context: NodeContext, item: Item, index: number): Promise<JsonObject> {
  const columns = await context.parameter<unknown>('columns', index, {});
  const { mappingMode, value } = isObject(columns) ? columns : {};
  const isAutomatic = mappingMode === 'autoMapInputData';
  const fields = isAutomatic ? item.json : isObject(value) ? value : {};
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !isAutomatic || !Object.hasOwn(SYSTEM_COLUMNS, name))
      .map(([name, field]) => [name, cellOf(field, index)]),
  );
}

function cellOf(value: unknown, index: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const kind = Array.isArray(value) ? 'array' : 'object';
  throw new NodeError(`unexpected ${kind} input '${JSON.stringify(value)}' in row ${index}`, {
    itemIndex: index,
  });
}

async function changeOf(context: NodeContext, item: Item, index: number): Promise<RowChange> {
  return { data: await newRow(context, item, index), filter: await requiredFilter(context, index) };
}

async function hasRow(context: NodeContext, tableId: string, index: number): Promise<boolean> {
  const { count } = await context.dataTables.rows(tableId, { filter: await filterOf(context, index) });
  return count > 0;
}

async function requiredFilter(context: NodeContext, index: number): Promise<RowFilter> {
  const filter = await filterOf(context, index);
  if (filter.filters.length === 0) throw new NodeError('At least one condition is required');
  return filter;
}

async function filterOf(context: NodeContext, index: number): Promise<RowFilter> {
  const matchType = await context.parameter('matchType', index);
  const conditions = await context.parameter<unknown>('filters.conditions', index, []);
  if (!Array.isArray(conditions) || !conditions.every(isObject))
    throw new NodeError('unexpected fields input');
  const filters = conditions.map(({ keyName = 'id', condition = 'eq', keyValue = '' }) => ({
    columnName: String(keyName),
    ...(FIXED[String(condition)] ?? { condition: String(condition), value: keyValue }),
  }));
  return { type: matchType === 'allConditions' ? 'and' : 'or', filters };
}

/** Conditions without a value. */
const FIXED: Record<string, { condition: string; value: boolean | null }> = {
  isEmpty: { condition: 'eq', value: null },
  isNotEmpty: { condition: 'neq', value: null },
  isTrue: { condition: 'eq', value: true },
  isFalse: { condition: 'eq', value: false },
};

async function isDryRun(context: NodeContext, index: number): Promise<boolean> {
  const isDry = await context.parameter<unknown>('options.dryRun', index, false);
  if (typeof isDry === 'boolean') return isDry;
  throw new NodeError(`unexpected input ${JSON.stringify(isDry)} for boolean dryRun`);
}

const itemsOf = (rows: JsonObject[]): Item[] => rows.map((json) => ({ json }));
