/** The nodes Function and Function Item, which n8n replaced by the Code node. */

import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { CodeRunRequest, NodeContext } from '../../node-api/node-context.ts';
import { CodeError, NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { sourceCode } from '../shared/parameters.ts';

/** The names that only these nodes' code has. In one line, so that errors name the lines of the user. */
const COMMON =
  'const getWorkflowStaticData = $getWorkflowStaticData, getNodeParameter = (name) => $parameter[name], ' +
  'getExecuteData = () => ({}), __helpers = helpers; ';

/** Files of the item are read and changed through functions; `item` itself is the JSON. */
const ITEM =
  'let __binary = item.binary; const __source = item, getBinaryData = () => __binary, ' +
  'setBinaryData = (data) => { __binary = data; }, getBinaryDataAsync = async () => __binary, ' +
  'setBinaryDataAsync = async (data) => { __binary = data; }; ' +
  'const __json = await (async (item) => {';

const itemsProgram = (code: string) => `${COMMON}${code}\n`;
const itemProgram = (code: string) =>
  `${COMMON}${ITEM}${code}\n})(__source.json);\nreturn { json: __json === undefined ? null : __json, binary: __binary };`;

const shared = {
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
} as const;

export const functionNode: NodeType = {
  ...shared,
  versions: [1],
  outputs: ['main'],
  name: 'n8n-nodes-base.function',
  label: 'Function',
  description: 'Runs JavaScript over all items. Newer workflows use the Code node.',
  parameters: [
    sourceCode('functionCode', 'JavaScript Code', 'javascript', {
      default: 'return items;',
      literal: true,
      rows: 12,
    }),
  ],
  async execute(context) {
    const [outcome] = await run(context, itemsProgram, 'allItems');
    if (!outcome) return [[]];
    if ('error' in outcome) {
      if (!(outcome.error instanceof CodeError) || !context.continueOnFail) throw outcome.error;
      return [[{ json: { error: outcome.error.message } }]];
    }
    return [readItems(outcome.value)];
  },
};

export const functionItem: NodeType = {
  ...shared,
  versions: [1],
  outputs: ['main'],
  name: 'n8n-nodes-base.functionItem',
  label: 'Function Item',
  description: 'Runs JavaScript over each item. Newer workflows use the Code node.',
  parameters: [
    sourceCode('functionCode', 'JavaScript Code', 'javascript', {
      default: 'return item;',
      literal: true,
      rows: 12,
    }),
  ],
  async execute(context) {
    const outcomes = await run(context, itemProgram, 'eachItem');
    return [outcomes.map((outcome, index) => itemOf(context, outcome, index))];
  },
};

function run(context: NodeContext, program: (code: string) => string, mode: CodeRunRequest['mode']) {
  return context.runCode({ code: program(context.literal('functionCode', '')), mode });
}

function itemOf(context: NodeContext, outcome: Awaited<ReturnType<typeof run>>[number], index: number): Item {
  try {
    if ('error' in outcome) throw outcome.error;
    const { json, binary } = outcome.value as { json: unknown; binary?: Item['binary'] };
    if (typeof json !== 'object' || json === null) {
      throw new NodeError('No data got returned. Always an object has to be returned!', { itemIndex: index });
    }
    return { json: json as JsonObject, ...(binary && { binary }), pairedItem: { item: index } };
  } catch (error) {
    return failedItem(context, error, index);
  }
}

/** An item, a plain object, or a list of them. @throws NodeError for anything else */
function readItems(value: unknown): Item[] {
  const list = Array.isArray(value) ? value : [value];
  if (!list.every(isObject)) {
    throw new NodeError(
      value === undefined
        ? 'No data got returned. Always return an Array of items!'
        : 'Always an Array of items has to be returned!',
      { description: 'End the code with `return items;`.' },
    );
  }
  return list.map((element) => {
    if (!('json' in element)) return { json: element };
    if (isObject(element.json)) return element as unknown as Item;
    throw new NodeError('The "json" property of an item has to be an object');
  });
}
