import type { NodeType } from '../../node-api/node-type.ts';
import { pairedInput } from '../shared/paired-input.ts';
import { choice, number } from '../shared/parameters.ts';

export const limit: NodeType = {
  name: 'n8n-nodes-base.limit',
  label: 'Limit',
  description: 'Keeps the first or last items.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    number('maxItems', 'Max Items', 1, {
      minimum: 1,
      description: 'If there are more items than this number, some are removed.',
    }),
    choice('keep', 'Keep', 'firstItems', { options: { firstItems: 'First Items', lastItems: 'Last Items' } }),
  ],
  async execute(context) {
    const items = pairedInput(context);
    const maxItems = Number(await context.parameter('maxItems', 0));
    const keep = await context.parameter('keep', 0);
    if (items.length <= maxItems) return [items];
    return [keep === 'lastItems' ? items.slice(items.length - maxItems) : items.slice(0, maxItems)];
  },
};
