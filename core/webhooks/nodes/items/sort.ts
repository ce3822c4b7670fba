/** Puts items in another order. */

import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { disableDotNotation, readField } from '../shared/fields.ts';
import { choice, fixedCollectionList, group, options, sourceCode, text } from '../shared/parameters.ts';

interface SortField {
  fieldName?: string;
  order?: 'ascending' | 'descending';
}

export const sort: NodeType = {
  name: 'n8n-nodes-base.sort',
  label: 'Sort',
  description: 'Puts items in another order.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('type', 'Type', 'simple', { options: { simple: 'Simple', random: 'Random', code: 'Code' } }),
    fixedCollectionList('sortFieldsUi', 'Fields To Sort By', {
      show: { type: ['simple'] },
      groups: [
        group('sortField', 'Field', [
          text('fieldName', 'Field Name', { required: true }),
          choice('order', 'Order', 'ascending', {
            options: { ascending: 'Ascending', descending: 'Descending' },
          }),
        ]),
      ],
    }),
    sourceCode('code', 'Code', 'javascript', {
      default: 'return a.json.created < b.json.created ? -1 : 1;',
      literal: true,
      rows: 6,
      show: { type: ['code'] },
      description: 'Compares items `a` and `b`: returns less than 0 when `a` comes first.',
    }),
    options({ show: { type: ['simple'] }, fields: [disableDotNotation] }),
  ],
  async execute(context) {
    const items = context.items();
    const type = await context.parameter('type', 0);
    const order =
      type === 'random'
        ? shuffle(items.length)
        : type === 'code'
          ? await orderByCode(context)
          : await orderByFields(context, items);
    return [order.map((index) => ({ ...items[index]!, pairedItem: { item: index } }))];
  },
};

/** Each of the three orders is a list of the items' indexes. */
async function orderByFields(context: NodeContext, items: Item[]): Promise<number[]> {
  const fields = ((await context.parameter<SortField[]>('sortFieldsUi.sortField', 0, [])) ?? []).filter(
    ({ fieldName }) => fieldName,
  );
  if (fields.length === 0) {
    throw new NodeError('No sorting specified. Please add a field to sort by');
  }
  const dots = (await context.parameter('options.disableDotNotation', 0, false)) !== true;
  const read = ({ json }: Item, field: string) => readField(json, field, dots);
  for (const { fieldName } of fields) {
    if (items.length > 0 && items.every((item) => read(item, fieldName!) === undefined)) {
      throw new NodeError(`Couldn't find the field '${fieldName}' in the input data`, {
        description: 'Check the names of the fields in the output of the previous node.',
      });
    }
  }
  const keys = items.map((item) => fields.map(({ fieldName }) => toComparable(read(item, fieldName!))));
  return items
    .map((_, index) => index)
    .sort((a, b) => {
      for (const [position, { order }] of fields.entries()) {
        const result = compare(keys[a]![position], keys[b]![position]);
        if (result !== 0) return order === 'descending' ? -result : result;
      }
      return a - b;
    });
}

type Comparable = string | number | boolean | undefined;

/** Text is compared in lower case; lists and objects are compared by their JSON. */
function toComparable(value: unknown): Comparable {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value.toLowerCase();
  if (typeof value === 'object') return JSON.stringify(value);
  return value as number | boolean;
}

/** Missing values come first. */
function compare(a: Comparable, b: Comparable): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a !== typeof b) return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
  return a < b ? -1 : a > b ? 1 : 0;
}

async function orderByCode(context: NodeContext): Promise<number[]> {
  const code = context.literal('code', '');
  if (!/\breturn\b/.test(code)) {
    throw new NodeError("Sort code doesn't return. Please add a 'return' statement to your code");
  }
  // The user's code begins in the first line, so that errors name its own lines.
  const program = `const __compare = (a, b) => {${code}\n};
const __all = $input.all();
return __all.map((_, index) => index).sort((x, y) => __compare(__all[x], __all[y]));`;
  const [outcome] = await context.runCode({ code: program, mode: 'allItems' });
  if (!outcome) return [];
  if ('error' in outcome) throw outcome.error;
  return outcome.value as number[];
}

/** The numbers below `count` in random order (Fisher-Yates shuffle). */
function shuffle(count: number): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
