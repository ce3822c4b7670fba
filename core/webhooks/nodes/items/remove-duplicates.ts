/** Removes items that are repeated: in the same input, or over several runs. */
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { pairedInput } from '../shared/paired-input.ts';
import { clearHistory, partitionBySeen } from './remove-duplicates/history.ts';
import { removeDuplicatesParameters } from './remove-duplicates/parameters.ts';
import { uniqueItems } from './remove-duplicates/unique-items.ts';

export const removeDuplicates: NodeType = {
  name: 'n8n-nodes-base.removeDuplicates',
  label: 'Remove Duplicates',
  description: 'Removes items that are repeated in the input, or that an earlier run had.',
  group: 'data',
  versions: [1, 1.1, 2],
  inputs: 1,
  outputs: ({ version, get }) =>
    version >= 2 && get('operation') === 'removeItemsSeenInPreviousExecutions'
      ? ['Kept', 'Discarded']
      : ['main'],
  parameters: removeDuplicatesParameters,
  async execute(context) {
    const items = context.items();
    switch (operationOf(context)) {
      case 'removeDuplicateInputItems':
        return [await uniqueItems(context, items)];
      case 'removeItemsSeenInPreviousExecutions':
        return partitionBySeen(context, items);
      case 'clearDeduplicationHistory':
        await clearHistory(context);
        return [pairedInput(context)];
      default:
        throw new NodeError(`The operation "${operationOf(context)}" does not exist`);
    }
  },
};

function operationOf(context: NodeContext): string {
  return context.version < 2 ? 'removeDuplicateInputItems' : context.literal<string>('operation');
}
