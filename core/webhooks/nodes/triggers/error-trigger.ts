/** Starts a workflow when another workflow fails whose settings name it. */
import type { NodeType } from '../../node-api/node-type.ts';

export const errorTrigger: NodeType = {
  name: 'n8n-nodes-base.errorTrigger',
  label: 'Error Trigger',
  description: 'Starts when a workflow fails that names this one as its error workflow.',
  group: 'trigger',
  versions: [1],
  inputs: 0,
  outputs: ['main'],
  parameters: [],
  // A real failure replaces this item. A run that starts in the editor has this example.
  execute: async ({ workflow, execution }) => [
    [
      {
        json: {
          execution: {
            id: execution.id,
            error: { name: 'Error', message: 'Example Error Message', node: 'Node With Error' },
            lastNodeExecuted: 'Node With Error',
            mode: execution.mode,
          },
          workflow: { id: workflow.id, name: workflow.name },
        },
        pairedItem: { item: 0 },
      },
    ],
  ],
};
