/** Where a workflow begins that another one calls. */
import type { NodeType } from '../../workflow/node-type.ts';

export const executeWorkflowTrigger: NodeType = {
  name: 'n8n-nodes-base.executeWorkflowTrigger',
  label: 'When Executed by Another Workflow',
  description: 'Starts when an Execute Sub-workflow node of another workflow calls this one.',
  group: 'trigger',
  versions: [1, 1.1],
  inputs: 0,
  outputs: ['main'],
  parameters: [
    {
      name: 'inputSource',
      label: 'Input data mode',
      type: 'options',
      default: 'passthrough',
      literal: true,
      versions: { to: 1 },
      options: [{ value: 'passthrough', label: 'Accept all data' }],
    },
    {
      name: 'inputSource',
      label: 'Input data mode',
      type: 'options',
      default: 'workflowInputs',
      literal: true,
      versions: { from: 1.1 },
      options: [
        { value: 'workflowInputs', label: 'Define using fields below' },
        { value: 'jsonExample', label: 'Define using JSON example' },
        { value: 'passthrough', label: 'Accept all data' },
      ],
    },
    {
      name: 'workflowInputs',
      label: 'Workflow Input Schema',
      type: 'groups',
      multiple: true,
      literal: true,
      default: {},
      versions: { from: 1.1 },
      show: { inputSource: ['workflowInputs'] },
      groups: [
        {
          name: 'values',
          label: 'Field',
          fields: [
            { name: 'name', label: 'Name', type: 'string', default: '', literal: true },
            {
              name: 'type',
              label: 'Type',
              type: 'options',
              default: 'string',
              literal: true,
              options: ['any', 'string', 'number', 'boolean', 'array', 'object'].map((value) => ({
                value,
                label: value,
              })),
            },
          ],
        },
      ],
    },
    {
      name: 'jsonExample',
      label: 'JSON Example',
      type: 'json',
      default: '{\n  "aField": "a string",\n  "aNumber": 123\n}',
      literal: true,
      rows: 6,
      versions: { from: 1.1 },
      show: { inputSource: ['jsonExample'] },
    },
  ],
  // Called by a workflow its items are given; run by hand there are none.
  execute: async () => [[{ json: {}, pairedItem: { item: 0 } }]],
};
