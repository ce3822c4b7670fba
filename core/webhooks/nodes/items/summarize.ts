/** Counts, sums and lists over items, in groups: a pivot table. */

import { getPath, type Item, type JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { commaList } from '../shared/comma-list.ts';
import { type Aggregation, aggregated, outputName } from './summarize/aggregations.ts';
import { summarizeParameters } from './summarize/parameters.ts';

interface Group {
  /** Values of the fields that groups are made by. */
  by: unknown[];
  indexes: number[];
}

export const summarize: NodeType = {
  name: 'n8n-nodes-base.summarize',
  label: 'Summarize',
  description: 'Counts, sums and lists over items, in groups.',
  group: 'data',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  parameters: summarizeParameters,
  execute: async (context) => [await summarized(context)],
};

export async function summarized(context: NodeContext): Promise<Item[]> {
  const items = context.items();
  const get = <T>(path: string, fallback?: T) => context.parameter(path, 0, fallback);
  const aggregations = ((await get<Aggregation[]>('fieldsToSummarize.values', [])) ?? []).filter(
    ({ field }) => field,
  );
  if (aggregations.length === 0) throw new NodeError('You need to add at least one aggregation');
  const by = commaList(await get('fieldsToSplitBy', ''));
  const flat = (await get('options.disableDotNotation', false)) === true;
  const read = (index: number, field: string) => {
    const { json } = items[index]!;
    return flat ? json[field] : getPath(json, field);
  };
  const lenient = (await get('options.continueIfFieldNotFound', context.version >= 1.1)) === true;
  for (const field of new Set([...aggregations.map((one) => one.field!), ...by])) {
    if (lenient || items.some((_, index) => read(index, field) !== undefined)) continue;
    throw new NodeError(`The field '${field}' does not exist in any items`, {
      description: 'Look at the names of the fields that the node before gives.',
    });
  }
  const skipEmpty = (await get('options.skipEmptySplitFields', false)) === true;
  const groups = grouped(items.length, (index) => by.map((field) => read(index, field)), skipEmpty);
  const rows = groups.map((group) => ({
    group,
    values: Object.fromEntries(
      aggregations.map((one) => [
        outputName(one),
        aggregated(
          one,
          group.indexes.map((index) => read(index, one.field!)),
        ),
      ]),
    ),
  }));
  const pairing = (group: Group) => group.indexes.map((item) => ({ item }));
  if ((await get('options.outputFormat', 'separateItems')) === 'singleItem') {
    const json: JsonObject = {};
    for (const { group, values } of rows) placed(json, group.by, values);
    return [{ json, pairedItem: items.map((_, item) => ({ item })) }];
  }
  return rows.map(({ group, values }) => ({
    json: { ...Object.fromEntries(by.map((field, at) => [field, group.by[at] ?? null])), ...values },
    pairedItem: pairing(group),
  }));
}

function grouped(count: number, valuesOf: (index: number) => unknown[], skipEmpty: boolean): Group[] {
  const groups = new Map<string, Group>();
  for (let index = 0; index < count; index++) {
    const by = valuesOf(index);
    if (skipEmpty && by.some((value) => value === undefined || value === null || value === '')) continue;
    const key = JSON.stringify(by);
    const group = groups.get(key);
    if (group) group.indexes.push(index);
    else groups.set(key, { by, indexes: [index] });
  }
  return [...groups.values()];
}

/** Groups inside of one another by their values. */
function placed(json: JsonObject, by: unknown[], values: JsonObject): void {
  let at = json;
  for (const value of by) {
    const key = String(value);
    if (!Object.hasOwn(at, key))
      Object.defineProperty(at, key, { value: {}, enumerable: true, writable: true });
    at = at[key] as JsonObject;
  }
  Object.assign(at, values);
}
