import type { NodeType } from '../../node-api/node-type.ts';

export const manualTrigger: NodeType = {
  name: 'n8n-nodes-base.manualTrigger',
  label: 'Manual Trigger',
  description: 'Starts the workflow when you press the button in the editor.',
  group: 'trigger',
  versions: [1],
  inputs: 0,
  outputs: ['main'],
  parameters: [],
  execute: async (context) => [context.items()],
};
