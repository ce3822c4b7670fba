import type { NodeType } from '../../node-api/node-type.ts';

import { combineChoice, conditionParameters, partition } from '../shared/conditions.ts';

export const ifNode: NodeType = {
  name: 'n8n-nodes-base.if',
  label: 'If',
  description: 'Sends items to one of two branches.',
  group: 'flow',
  versions: [1, 2, 2.1, 2.2, 2.3],
  inputs: 1,
  outputs: ['true', 'false'],
  parameters: conditionParameters(
    combineChoice('combineOperation', 'Combine', 'all', { all: 'ALL', any: 'ANY' }),
  ),
  execute: partition,
};
