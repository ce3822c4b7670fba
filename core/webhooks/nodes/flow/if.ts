import type { NodeType } from '../../workflow/node-type.ts';
import type { Item } from '../../workflow/types.ts';
import { conditionItems, ignoreCase, looseTypes, meetsItem, olderConditions } from '../shared/conditions.ts';

export const ifNode: NodeType = {
  name: 'n8n-nodes-base.if',
  label: 'If',
  description: 'Sends items to one of two branches.',
  group: 'flow',
  versions: [1, 2, 2.1, 2.2, 2.3],
  inputs: 1,
  outputs: ['true', 'false'],
  parameters: [
    ...olderConditions,
    {
      name: 'conditions',
      label: 'Conditions',
      type: 'conditions',
      default: {},
      versions: { from: 2 },
    },
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
    const met: Item[] = [];
    const unmet: Item[] = [];
    for (const [index, item] of conditionItems(context)) {
      (await meetsItem(context, index)) ? met.push(item) : unmet.push(item);
    }
    return [met, unmet];
  },
};
