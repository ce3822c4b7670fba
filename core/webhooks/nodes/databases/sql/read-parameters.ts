/** Reads the parameters that the nodes of SQL databases share. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { commaList } from '../../shared/comma-list.ts';
import type { QueryBatching } from './run-statements.ts';
import type { Condition } from './statements.ts';

/** The value of a resource locator, or of a plain parameter. */
export async function located(context: NodeContext, name: string, index: number): Promise<string> {
  const value = await context.parameter<unknown>(name, index, '');
  return String((isObject(value) && '__rl' in value ? value.value : value) ?? '').trim();
}

/** The row of an item, and the columns that find it. */
export async function rowOf(
  context: NodeContext,
  item: Item,
  index: number,
  options: { matches: boolean },
): Promise<{ row: JsonObject; matching: string[] }> {
  const { row, matching } =
    context.version >= 2.2
      ? await mappedRow(context, item, index)
      : await definedRow(context, item, index, options);
  const isReplaced = (await context.parameter('options.replaceEmptyStrings', index, false)) === true;
  const filled = isReplaced
    ? Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === '' ? null : value]))
    : row;
  if (!options.matches) return { row: filled, matching: [] };
  if (matching.length === 0) throw new NodeError('No column to match on is chosen', { itemIndex: index });
  const missing = matching.find((name) => filled[name] === undefined);
  if (missing !== undefined) {
    throw new NodeError(
      "Column to match on not found in input item. Add a column to match on or set the 'Data Mode' to 'Define Below' to define the value to match on.",
      { itemIndex: index, description: `The column is "${missing}".` },
    );
  }
  return { row: filled, matching };
}

/** The mapping of newer versions: `columns`. */
async function mappedRow(context: NodeContext, item: Item, index: number) {
  const columns = await context.parameter<JsonObject>('columns', index, {});
  const matching = commaList(columns?.matchingColumns ?? []);
  const value = isObject(columns?.value) ? columns.value : {};
  return { row: columns?.mappingMode === 'defineBelow' ? value : item.json, matching };
}

/** The fields of versions 2 and 2.1. */
async function definedRow(
  context: NodeContext,
  item: Item,
  index: number,
  { matches }: { matches: boolean },
) {
  const column = matches ? await located(context, 'columnToMatchOn', index) : '';
  const matching = column === '' ? [] : [column];
  if ((await context.parameter('dataMode', index)) !== 'defineBelow') return { row: item.json, matching };
  const sent = await context.parameter<{ values?: JsonObject[] }>('valuesToSend', index, {});
  const row = Object.fromEntries((sent?.values ?? []).map(({ column, value }) => [String(column), value]));
  if (column !== '') row[column] = await context.parameter<unknown>('valueToMatchOn', index);
  return { row, matching };
}

/** The parameters of the operation `select`. */
export async function selectionOf(context: NodeContext, index: number) {
  return {
    conditions: await conditionsOf(context, index),
    combine: await combineOf(context, index),
    sort: await sortOf(context, index),
    output: await outputColumns(context, index),
    limit: await limitOf(context, index),
  };
}

/** How conditions are combined: `AND` or `OR`. */
export async function combineOf(context: NodeContext, index: number): Promise<string> {
  return String(await context.parameter('combineConditions', index, 'AND'));
}

export async function conditionsOf(context: NodeContext, index: number): Promise<Condition[]> {
  const where = await context.parameter<{ values?: Partial<Condition>[] }>('where', index, {});
  return (where?.values ?? []).map(({ column, condition, value }) => ({
    column: String(column ?? ''),
    condition: String(condition ?? 'equal'),
    value,
  }));
}

export async function sortOf(context: NodeContext, index: number) {
  const sort = await context.parameter<{ values?: JsonObject[] }>('sort', index, {});
  return (sort?.values ?? []).map(({ column, direction }) => ({
    column: String(column ?? ''),
    direction: String(direction ?? 'ASC'),
  }));
}

export async function limitOf(context: NodeContext, index: number): Promise<number | undefined> {
  if ((await context.parameter('returnAll', index, false)) === true) return undefined;
  return Number(await context.parameter('limit', index, 50)) || 0;
}

export async function outputColumns(context: NodeContext, index: number): Promise<string[]> {
  return commaList(await context.parameter<unknown>('options.outputColumns', index, ['*']));
}

export function batchingOf(context: NodeContext): QueryBatching {
  const value = context.literal<unknown>('options.queryBatching');
  return value === 'independently' || value === 'transaction' ? value : 'single';
}

/** The values of `$1`, `$2` …: a list, or a text of parts that commas separate. */
export async function replacementsOf(context: NodeContext, index: number): Promise<unknown[]> {
  const stored = context.literal<unknown>('options.queryReplacement', '');
  if (stored === undefined || stored === '') return [];
  const value = await context.parameter<unknown>('options.queryReplacement', index, '');
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return value === undefined || value === null ? [] : [value];
  // One expression whose text contains commas is one value.
  if (typeof stored === 'string' && /^=\s*\{\{[^{}]*\}\}\s*$/.test(stored) && context.version >= 2.5)
    return [value];
  return value.split(',').map((part) => part.trim());
}
