import type { NodeType } from '../../node-api/node-type.ts';
import { pairedInput } from '../shared/paired-input.ts';

export const noOp: NodeType = {
  name: 'n8n-nodes-base.noOp',
  label: 'No Operation',
  description: 'Passes items on as they are: a place to end or join branches.',
  group: 'flow',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [],
  execute: async (context) => [pairedInput(context)],
};
