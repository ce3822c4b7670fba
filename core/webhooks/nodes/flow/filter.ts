import type { NodeType } from '../../workflow/node-type.ts';
import type { Item } from '../../workflow/types.ts';
import { conditionItems, ignoreCase, looseTypes, meetsItem, olderConditions } from '../shared/conditions.ts';

export const filter: NodeType = {
  name: 'n8n-nodes-base.filter',
  label: 'Filter',
  description: 'Keeps the items that meet its conditions.',
  group: 'flow',
  versions: [1, 2, 2.1, 2.2, 2.3],
  inputs: 1,
  outputs: ['kept'],
  parameters: [
    ...olderConditions.map((parameter) =>
      parameter.name === 'combineOperation'
        ? {
            name: 'combineConditions',
            label: 'Combine Conditions',
            type: 'options' as const,
            default: 'AND',
            versions: { to: 1 },
            options: [
              { value: 'AND', label: 'AND' },
              { value: 'OR', label: 'OR' },
            ],
          }
        : parameter,
    ),
    { name: 'conditions', label: 'Conditions', type: 'conditions', default: {}, versions: { from: 2 } },
    looseTypes,
    {
      name: 'options',
      label: 'Options',
      type: 'collection',
      default: {},
      versions: { from: 2 },
      fields: [ignoreCase],
    },
  ],
  async execute(context) {
    const kept: Item[] = [];
    const dropped: Item[] = [];
    for (const [index, item] of conditionItems(context)) {
      (await meetsItem(context, index)) ? kept.push(item) : dropped.push(item);
    }
    // What was dropped is in the record for a person to see, though no connection can start there.
    return [kept, dropped];
  },
};
