/** The legacy node that n8n replaced by Split Out, Aggregate, Limit, Remove Duplicates, Sort and Summarize. */

import { isObject } from '#core/base';
import type { NodeOutput, Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { commaList } from '../shared/comma-list.ts';
import { readField } from '../shared/fields.ts';
import { choice, options } from '../shared/parameters.ts';
import { aggregate } from './aggregate.ts';
import { limit } from './limit.ts';
import { compareOptions, compareParameters } from './remove-duplicates/parameters.ts';
import { uniqueItems } from './remove-duplicates/unique-items.ts';
import { sort } from './sort.ts';
import { splitOut } from './split-out.ts';
import { summarize } from './summarize.ts';

interface Operation extends Pick<NodeType, 'parameters' | 'execute'> {
  label: string;
  versions?: Parameter['versions'];
}

/** An operation that another node executes. */
const sameAs = ({ parameters, execute }: NodeType, label: string): Operation => ({
  label,
  parameters,
  execute,
});

const operations: Record<string, Operation> = {
  aggregateItems: {
    ...sameAs(aggregate, 'Aggregate Items'),
    versions: { to: 2.2 },
    execute: aggregateOld,
  },
  concatenateItems: { ...sameAs(aggregate, 'Concatenate Items'), versions: { from: 3 } },
  limit: sameAs(limit, 'Limit'),
  removeDuplicates: {
    label: 'Remove Duplicates',
    parameters: [...compareParameters, options({ fields: compareOptions })],
    execute: async (context) => {
      if (context.version >= 3) return [await uniqueItems(context, context.items())];
      return [await uniqueItems(oldFieldLists(context), context.items(), true)];
    },
  },
  sort: sameAs(sort, 'Sort'),
  splitOutItems: {
    ...sameAs(splitOut, 'Split Out Items'),
    execute: (context) => {
      if (context.version < 3) requireSplitField(context);
      return splitOut.execute(context);
    },
  },
  summarize: { ...sameAs(summarize, 'Summarize'), execute: summarizeOld },
};

export const itemLists: NodeType = {
  name: 'n8n-nodes-base.itemLists',
  label: 'Item Lists',
  description:
    'Splits, combines, sorts and limits items. Newer workflows use a separate node for each of these.',
  group: 'data',
  versions: [1, 2, 2.1, 2.2, 3, 3.1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('operation', 'Operation', 'splitOutItems', {
      literal: true,
      options: Object.entries(operations).map(([value, { label, versions }]) => ({
        value,
        label,
        ...(versions && { versions }),
      })),
    }),
    ...Object.entries(operations).flatMap(([operation, { parameters }]) =>
      parameters.map(
        (parameter): Parameter => ({
          ...parameter,
          show: { operation: [operation], ...parameter.show },
        }),
      ),
    ),
  ],
  execute(context) {
    const name = context.literal<string>('operation');
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    if (!operation) throw new NodeError(`The operation "${name}" does not exist`);
    return operation.execute(context);
  },
};

/** Before version 3 a list of all items was paired with the first of them alone. */
async function aggregateOld(context: NodeContext): Promise<NodeOutput> {
  const output = await aggregate.execute(context);
  if ((await context.parameter('aggregate', 0)) !== 'aggregateAllItemData') return output;
  return output.map((items) => items?.map((item) => ({ ...item, pairedItem: { item: 0 } })) ?? null);
}

/** Before version 3 fields were lists of groups: `fieldsToCompare.fields[].fieldName`. */
function oldFieldLists(context: NodeContext): NodeContext {
  const parameter = (async (path: string, index: number, fallback?: unknown) => {
    const value = await context.parameter<unknown>(path, index, fallback);
    if (path !== 'fieldsToCompare' && path !== 'fieldsToExclude') return value;
    if (!isObject(value) || !Array.isArray(value.fields)) return value;
    return (value.fields as { fieldName?: string }[]).map(({ fieldName }) => fieldName ?? '');
  }) as NodeContext['parameter'];
  return Object.assign(Object.create(context) as NodeContext, { parameter });
}

/** Before version 3 a field that an item lacks was an error. */
function requireSplitField(context: NodeContext): void {
  const [field = ''] = commaList(context.literal('fieldToSplitOut', ''));
  const dots = context.literal<boolean>('options.disableDotNotation', false) !== true;
  if (field.startsWith('=')) return;
  const itemIndex = context.items().findIndex(({ json }) => readField(json, field, dots) === undefined);
  if (itemIndex < 0 || context.continueOnFail) return;
  throw new NodeError(`Couldn't find the field '${field}' in the input data`, { itemIndex });
}

/** Before version 3 the values that items are grouped by became texts. */
async function summarizeOld(context: NodeContext): Promise<NodeOutput> {
  const output = await summarize.execute(context);
  if (context.version >= 3) return output;
  const by = commaList(await context.parameter('fieldsToSplitBy', 0, ''));
  return output.map(
    (items) =>
      items?.map((item) => ({
        ...item,
        json: Object.fromEntries(
          Object.entries(item.json).map(([name, value]) => [name, by.includes(name) ? String(value) : value]),
        ),
      })) ?? null,
  );
}
