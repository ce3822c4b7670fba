import type { NodeType } from '../../node-api/node-type.ts';

import { combineChoice, conditionParameters, partition } from '../shared/conditions.ts';

export const filter: NodeType = {
  name: 'n8n-nodes-base.filter',
  label: 'Filter',
  description: 'Keeps the items that meet its conditions.',
  group: 'flow',
  versions: [1, 2, 2.1, 2.2, 2.3],
  inputs: 1,
  outputs: ['kept'],
  parameters: conditionParameters(
    combineChoice('combineConditions', 'Combine Conditions', 'AND', { AND: 'AND', OR: 'OR' }),
  ),
  // The dropped items are a second output: no connection can start there, but the execution record shows them.
  execute: partition,
};
