/** The older node of which Split Out, Aggregate, Limit, Remove Duplicates, Sort and Summarize were made. */

import type { Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { choice, options } from '../shared/parameters.ts';
import { aggregate } from './aggregate.ts';
import { limit } from './limit.ts';
import { compareOptions, compareParameters } from './remove-duplicates/parameters.ts';
import { withoutRepeats } from './remove-duplicates/within.ts';
import { sort } from './sort.ts';
import { splitOut } from './split-out.ts';
import { summarize, summarized } from './summarize.ts';

type Run = NodeType['execute'];

const operations: Record<string, { label: string; parameters: Parameter[]; run: Run }> = {
  concatenateItems: { label: 'Concatenate Items', parameters: aggregate.parameters, run: aggregate.execute },
  limit: { label: 'Limit', parameters: limit.parameters, run: limit.execute },
  removeDuplicates: {
    label: 'Remove Duplicates',
    parameters: [...compareParameters, options({ fields: compareOptions })],
    run: async (context) => [await withoutRepeats(context, context.items())],
  },
  sort: { label: 'Sort', parameters: sort.parameters, run: sort.execute },
  splitOutItems: { label: 'Split Out Items', parameters: splitOut.parameters, run: splitOut.execute },
  summarize: {
    label: 'Summarize',
    parameters: summarize.parameters,
    run: async (context: NodeContext) => [await summarized(context)],
  },
};

export const itemLists: NodeType = {
  name: 'n8n-nodes-base.itemLists',
  label: 'Item Lists',
  description: 'Splits, gathers, sorts and limits items. Newer workflows have a node for each of these.',
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
      parameters.map((one): Parameter => ({ ...one, show: { operation: [operation], ...one.show } })),
    ),
  ],
  execute(context) {
    const operation = context.literal<string>('operation');
    const known = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (!known) throw new NodeError(`The operation "${operation}" does not exist`);
    return known.run(context);
  },
};
