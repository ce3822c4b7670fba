/** Runs the user's JavaScript or Python over the items, in a sandbox. */

import type { Item } from '#core/workflow-format';
import type { CodeRunRequest, NodeContext } from '../../node-api/node-context.ts';
import { CodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { choice, sourceCode } from '../shared/parameters.ts';
import { type ObjectWord, readCodeItems, readItem } from './read-output.ts';

/** `python` is n8n's older language, whose workflows read `_input`; `pythonNative` the newer one, with `_items`. */
const PYTHON = ['python', 'pythonNative'];

export const code: NodeType = {
  name: 'n8n-nodes-base.code',
  label: 'Code',
  description: 'Runs JavaScript or Python of your own.',
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
      options: { javaScript: 'JavaScript', pythonNative: 'Python', python: 'Python (older workflows)' },
    }),
    sourceCode('jsCode', 'JavaScript', 'javascript', {
      default: '',
      literal: true,
      rows: 12,
      hide: { language: PYTHON },
    }),
    sourceCode('pythonCode', 'Python', 'python', {
      default: '',
      literal: true,
      rows: 12,
      show: { language: PYTHON },
      description: 'Items are in _items, or in _item when the code runs for each one.',
    }),
  ],
  usesPython: ({ version, get }) => isPython(version, get('language')),
  async execute(context) {
    const program: Program = isPython(context.version, context.literal('language', 'javaScript'))
      ? { language: 'python', code: context.literal('pythonCode', '') }
      : { code: context.literal('jsCode', '') };
    return context.literal('mode') === 'runOnceForEachItem'
      ? [await forEachItem(context, program)]
      : [await forAllItems(context, program)];
  },
};

type Program = Pick<CodeRunRequest, 'language' | 'code'>;

/** Version 1 has JavaScript only. */
const isPython = (version: number, language: unknown) => version >= 2 && /python/i.test(String(language));

/** The word for an object in the language. */
const wordOf = ({ language }: Program): ObjectWord => (language === 'python' ? 'dictionary' : 'object');

async function forAllItems(context: NodeContext, program: Program): Promise<Item[]> {
  const [outcome] = await context.runCode({ ...program, mode: 'allItems' });
  if (!outcome) return [];
  if ('value' in outcome) return readCodeItems(outcome.value, wordOf(program));
  if (outcome.error instanceof CodeError && context.continueOnFail) {
    return [{ json: { error: outcome.error.message } }];
  }
  throw outcome.error;
}

async function forEachItem(context: NodeContext, program: Program): Promise<Item[]> {
  const outcomes = await context.runCode({ ...program, mode: 'eachItem' });
  const items: Item[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if ('error' in outcome) {
      if (!(outcome.error instanceof CodeError)) throw outcome.error;
      const item = failedItem(context, outcome.error, index);
      // In n8n an error of Python replaces the items of the whole run.
      if (program.language === 'python') return [{ json: item.json }];
      items.push(item);
      continue;
    }
    const item = readItem(outcome.value, index, wordOf(program));
    if (item) items.push({ ...item, pairedItem: { item: index } });
  }
  return items;
}
