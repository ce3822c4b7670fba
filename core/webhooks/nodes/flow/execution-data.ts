/** Keeps facts about an execution, which lists of executions show. */
import type { NodeType } from '../../node-api/node-type.ts';
import { objectList } from '../shared/object-list.ts';
import { choice, fixedCollectionList, group, text } from '../shared/parameters.ts';

/** Characters that are kept, as in n8n. */
const MAX_KEY = 50;
const MAX_VALUE = 512;

export const executionData: NodeType = {
  name: 'n8n-nodes-base.executionData',
  label: 'Execution Data',
  description: 'Keeps facts about an execution, which lists of executions show.',
  group: 'flow',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('operation', 'Operation', 'save', { literal: true, options: { save: 'Save Highlight Data' } }),
    fixedCollectionList('dataToSave', 'Data to Save', {
      groups: [group('values', 'Values', [text('key', 'Key'), text('value', 'Value')])],
    }),
  ],
  async execute(context) {
    for (const index of context.items().keys()) {
      const values = objectList(await context.parameter('dataToSave.values', index, []));
      for (const { key, value } of values) {
        if (!key) continue;
        context.customData[String(key).slice(0, MAX_KEY)] = String(value ?? '').slice(0, MAX_VALUE);
      }
    }
    return [context.items()];
  },
};
