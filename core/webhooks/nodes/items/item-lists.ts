/** The legacy node that n8n replaced by Split Out, Aggregate, Limit, Remove Duplicates, Sort and Summarize. */

import type { Parameter } from '#core/workflow-format';

import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
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
}

/** An operation that another node executes. */
const sameAs = ({ parameters, execute }: NodeType, label: string): Operation => ({
  label,
  parameters,
  execute,
});

const operations: Record<string, Operation> = {
  concatenateItems: sameAs(aggregate, 'Concatenate Items'),
  limit: sameAs(limit, 'Limit'),
  removeDuplicates: {
    label: 'Remove Duplicates',
    parameters: [...compareParameters, options({ fields: compareOptions })],
    execute: async (context) => [await uniqueItems(context, context.items())],
  },
  sort: sameAs(sort, 'Sort'),
  splitOutItems: sameAs(splitOut, 'Split Out Items'),
  summarize: sameAs(summarize, 'Summarize'),
};

export const itemLists: NodeType = {
  name: 'n8n-nodes-base.itemLists',
  label: 'Item Lists',
  description:
    'Splits, combines, sorts and limits items. Newer workflows use a separate node for each of these.',
  group: 'data',
  versions: [3, 3.1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('operation', 'Operation', 'splitOutItems', {
      literal: true,
      options: Object.entries(operations).map(([value, { label }]) => ({ value, label })),
    }),
    ...Object.entries(operations).flatMap(([operation, { parameters }]) =>
      parameters.map(
        (parameter): Parameter => ({ ...parameter, show: { operation: [operation], ...parameter.show } }),
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
