/** Starts a workflow that another workflow calls. */
import type { NodeType } from '../../node-api/node-type.ts';
import { choice, fixedCollectionList, group, jsonText, text } from '../shared/parameters.ts';

export const executeWorkflowTrigger: NodeType = {
  name: 'n8n-nodes-base.executeWorkflowTrigger',
  label: 'When Executed by Another Workflow',
  description: 'Starts when an Execute Sub-workflow node of another workflow calls this one.',
  group: 'trigger',
  versions: [1, 1.1],
  inputs: 0,
  outputs: ['main'],
  parameters: [
    choice('inputSource', 'Input data mode', 'passthrough', {
      literal: true,
      versions: { to: 1 },
      options: { passthrough: 'Accept all data' },
    }),
    choice('inputSource', 'Input data mode', 'workflowInputs', {
      literal: true,
      versions: { from: 1.1 },
      options: {
        workflowInputs: 'Define using fields below',
        jsonExample: 'Define using JSON example',
        passthrough: 'Accept all data',
      },
    }),
    fixedCollectionList('workflowInputs', 'Workflow Input Schema', {
      literal: true,
      default: {},
      versions: { from: 1.1 },
      show: { inputSource: ['workflowInputs'] },
      groups: [
        group('values', 'Field', [
          text('name', 'Name', { literal: true }),
          choice('type', 'Type', 'string', {
            literal: true,
            options: ['any', 'string', 'number', 'boolean', 'array', 'object'],
          }),
        ]),
      ],
    }),
    jsonText('jsonExample', 'JSON Example', {
      default: '{\n  "aField": "a string",\n  "aNumber": 123\n}',
      literal: true,
      rows: 6,
      versions: { from: 1.1 },
      show: { inputSource: ['jsonExample'] },
    }),
  ],
  // The items of the caller replace this one. A run that starts in the editor has one empty item.
  execute: async () => [[{ json: {}, pairedItem: { item: 0 } }]],
};
