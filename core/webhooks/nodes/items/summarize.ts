/** Counts, sums and lists the values of fields, in groups of items: a pivot table. */

import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { commaList } from '../shared/comma-list.ts';
import { readField } from '../shared/fields.ts';
import { type Aggregation, aggregateValues, outputName } from './summarize/aggregations.ts';
import { summarizeParameters } from './summarize/parameters.ts';

interface ItemGroup {
  /** The values that its items have in the fields that they are grouped by. */
  by: unknown[];
  /** Indexes of its items. */
  indexes: number[];
}

export const summarize: NodeType = {
  name: 'n8n-nodes-base.summarize',
  label: 'Summarize',
  description: 'Counts, sums and lists the values of fields, in groups of items.',
  group: 'data',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  parameters: summarizeParameters,
  execute: async (context) => [await summarizeItems(context)],
};

async function summarizeItems(context: NodeContext): Promise<Item[]> {
  const items = context.items();
  const get = <T>(path: string, fallback?: T) => context.parameter(path, 0, fallback);
  const aggregations = ((await get<Aggregation[]>('fieldsToSummarize.values', [])) ?? []).filter(
    ({ field }) => field,
  );
  if (aggregations.length === 0) throw new NodeError('You need to add at least one aggregation');
  const by = commaList(await get('fieldsToSplitBy', ''));
  const dots = (await get('options.disableDotNotation', false)) !== true;
  const read = (index: number, field: string) => readField(items[index]!.json, field, dots);
  const allowMissing = (await get('options.continueIfFieldNotFound', context.version >= 1.1)) === true;
  for (const field of new Set([...aggregations.map((aggregation) => aggregation.field!), ...by])) {
    if (allowMissing || items.some((_, index) => read(index, field) !== undefined)) continue;
    throw new NodeError(`The field '${field}' does not exist in any items`, {
      description: 'Check the names of the fields in the output of the previous node.',
    });
  }
  const skipEmpty = (await get('options.skipEmptySplitFields', false)) === true;
  const groups = groupItems(items.length, (index) => by.map((field) => read(index, field)), skipEmpty);
  const summaryOf = ({ indexes }: ItemGroup): JsonObject =>
    Object.fromEntries(
      aggregations.map((aggregation) => {
        const values = indexes.map((index) => read(index, aggregation.field!));
        return [outputName(aggregation), aggregateValues(aggregation, values)];
      }),
    );
  if ((await get('options.outputFormat', 'separateItems')) === 'singleItem') {
    const json: JsonObject = {};
    for (const group of groups) nest(json, group.by, summaryOf(group));
    return [{ json, pairedItem: items.map((_, item) => ({ item })) }];
  }
  return groups.map((group) => ({
    json: {
      ...Object.fromEntries(by.map((field, position) => [field, group.by[position] ?? null])),
      ...summaryOf(group),
    },
    pairedItem: group.indexes.map((item) => ({ item })),
  }));
}

function groupItems(count: number, keyOf: (index: number) => unknown[], skipEmpty: boolean): ItemGroup[] {
  const groups = new Map<string, ItemGroup>();
  for (let index = 0; index < count; index++) {
    const by = keyOf(index);
    if (skipEmpty && by.some((value) => value === undefined || value === null || value === '')) continue;
    const key = JSON.stringify(by);
    const group = groups.get(key);
    if (group) group.indexes.push(index);
    else groups.set(key, { by, indexes: [index] });
  }
  return [...groups.values()];
}

/** Puts a summary into nested objects, one level for each value that its items are grouped by. */
function nest(json: JsonObject, by: unknown[], summary: JsonObject): void {
  let level = json;
  for (const value of by) {
    const key = String(value);
    // Defined, because assigning `__proto__` would not make a field.
    if (!Object.hasOwn(level, key))
      Object.defineProperty(level, key, { value: {}, enumerable: true, writable: true });
    level = level[key] as JsonObject;
  }
  Object.assign(level, summary);
}
