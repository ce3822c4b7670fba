/** Puts items in another order. */

import { getPath, type Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { disableDotNotation } from '../shared/fields.ts';
import { choice, fixedCollectionList, group, options, sourceCode, text } from '../shared/parameters.ts';

interface Field {
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
        ? shuffled(items.length)
        : type === 'code'
          ? await byCode(context)
          : await byFields(context, items);
    return [order.map((from) => ({ ...items[from]!, pairedItem: { item: from } }))];
  },
};

async function byFields(context: NodeContext, items: Item[]): Promise<number[]> {
  const fields = ((await context.parameter<Field[]>('sortFieldsUi.sortField', 0, [])) ?? []).filter(
    ({ fieldName }) => fieldName,
  );
  if (fields.length === 0) {
    throw new NodeError('No sorting specified. Please add a field to sort by');
  }
  const flat = (await context.parameter('options.disableDotNotation', 0, false)) === true;
  const read = ({ json }: Item, field: string) => (flat ? json[field] : getPath(json, field));
  for (const { fieldName } of fields) {
    if (items.length > 0 && items.every((item) => read(item, fieldName!) === undefined)) {
      throw new NodeError(`Couldn't find the field '${fieldName}' in the input data`, {
        description: 'Look at the names of the fields that the node before gives.',
      });
    }
  }
  const keys = items.map((item) => fields.map(({ fieldName }) => comparable(read(item, fieldName!))));
  return items
    .map((_, index) => index)
    .sort((a, b) => {
      for (const [at, { order }] of fields.entries()) {
        const sign = compare(keys[a]![at], keys[b]![at]);
        if (sign !== 0) return order === 'descending' ? -sign : sign;
      }
      return a - b;
    });
}

/** Upper and lower case are the same, lists and objects are as their JSON. */
function comparable(value: unknown): string | number | boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value.toLowerCase();
  if (typeof value === 'object') return JSON.stringify(value);
  return value as number | boolean;
}

/** What is missing comes before what is there. */
function compare(a: ReturnType<typeof comparable>, b: ReturnType<typeof comparable>): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a !== typeof b) return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
  return a < b ? -1 : a > b ? 1 : 0;
}

async function byCode(context: NodeContext): Promise<number[]> {
  const code = context.literal('code', '');
  if (!/\breturn\b/.test(code)) {
    throw new NodeError("Sort code doesn't return. Please add a 'return' statement to your code");
  }
  // The person's code stays on the first line, so that errors name the line they see.
  const program = `const __compare = (a, b) => {${code}\n};
const __all = $input.all();
return __all.map((_, index) => index).sort((x, y) => __compare(__all[x], __all[y]));`;
  const [outcome] = await context.runCode({ code: program, mode: 'allItems' });
  if (!outcome) return [];
  if ('error' in outcome) throw outcome.error;
  return outcome.value as number[];
}

function shuffled(count: number): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
