/** Runs the user's JavaScript over the items, in the sandbox. */

import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { CodeError, NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { choice, sourceCode } from '../shared/parameters.ts';
import { readCodeItems, readItem } from './read-output.ts';

export const code: NodeType = {
  name: 'n8n-nodes-base.code',
  label: 'Code',
  description: 'Runs JavaScript of your own.',
  group: 'data',
  versions: [1, 2],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('mode', 'Mode', 'runOnceForAllItems', {
      literal: true,
      options: { runOnceForAllItems: 'Run Once for All Items', runOnceForEachItem: 'Run Once for Each Item' },
    }),
    choice('language', 'Language', 'javaScript', {
      literal: true,
      versions: { from: 2 },
      options: { javaScript: 'JavaScript' },
    }),
    sourceCode('jsCode', 'JavaScript', 'javascript', { default: '', literal: true, rows: 12 }),
  ],
  issues: ({ get }) =>
    /python/i.test(String(get('language') ?? ''))
      ? [
          'Python runs nowhere here: write the code in JavaScript, or call a program of your own by HTTP Request',
        ]
      : [],
  async execute(context) {
    if (/python/i.test(context.literal('language', 'javaScript'))) {
      throw new NodeError('Python runner unavailable: this server runs JavaScript only', {
        description:
          'Write the code in JavaScript, or call a Python program of your own with an HTTP Request.',
      });
    }
    const jsCode = context.literal('jsCode', '');
    return context.literal('mode') === 'runOnceForEachItem'
      ? [await forEachItem(context, jsCode)]
      : [await forAllItems(context, jsCode)];
  },
};

async function forAllItems(context: NodeContext, jsCode: string): Promise<Item[]> {
  const [outcome] = await context.runCode({ code: jsCode, mode: 'allItems' });
  if (!outcome) return [];
  if ('value' in outcome) return readCodeItems(outcome.value);
  if (outcome.error instanceof CodeError && context.continueOnFail) {
    return [{ json: { error: outcome.error.message } }];
  }
  throw outcome.error;
}

async function forEachItem(context: NodeContext, jsCode: string): Promise<Item[]> {
  const outcomes = await context.runCode({ code: jsCode, mode: 'eachItem' });
  const items: Item[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if ('error' in outcome) {
      if (!(outcome.error instanceof CodeError)) throw outcome.error;
      items.push(failedItem(context, outcome.error, index));
      continue;
    }
    const item = readItem(outcome.value, index);
    if (item) items.push({ ...item, pairedItem: { item: index } });
  }
  return items;
}
