/** Calls another workflow. */

import { isObject } from '#core/base';
import type { Item, JsonObject, NodeOutput } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem, paired } from '../../node-api/per-item.ts';
import { chosenWorkflowId } from '../shared/called-workflow.ts';
import { pairedInput } from '../shared/paired-input.ts';
import { parseJsonParameter } from '../shared/parse-json.ts';
import { executeWorkflowParameters } from './execute-workflow/parameters.ts';

type CalledWorkflow = { id: string } | { workflow: unknown };

export const executeWorkflow: NodeType = {
  name: 'n8n-nodes-base.executeWorkflow',
  label: 'Execute Sub-workflow',
  description: 'Calls another workflow and outputs its items.',
  group: 'flow',
  versions: [1, 1.1, 1.2, 1.3],
  inputs: 1,
  outputs: ['main'],
  parameters: executeWorkflowParameters,
  async execute(context) {
    const items = context.items();
    const wait = (await context.parameter('options.waitForSubWorkflow', 0, true)) !== false;
    if ((await context.parameter('mode', 0)) !== 'each') {
      const input = await Promise.all(items.map((item, index) => inputOf(context, item, index)));
      const output = await context.callWorkflow(await calledWorkflow(context, 0), input, { wait });
      return [wait ? firstOutput(output) : pairedInput(context)];
    }
    const outputItems: Item[] = [];
    for (const [index, item] of items.entries()) {
      context.signal.throwIfAborted();
      try {
        const input = [await inputOf(context, item, index)];
        const output = await context.callWorkflow(await calledWorkflow(context, index), input, { wait });
        for (const outputItem of wait ? firstOutput(output) : [item]) {
          const { pairedItem: _pairingInCallee, ...rest } = outputItem;
          outputItems.push(paired(rest, { item: index }));
        }
      } catch (error) {
        outputItems.push(failedItem(context, error, index));
      }
    }
    return [outputItems];
  },
};

/** The items of the first output that has any. */
function firstOutput(output: NodeOutput): Item[] {
  return output.find((list) => list && list.length > 0) ?? [];
}

async function calledWorkflow(context: NodeContext, index: number): Promise<CalledWorkflow> {
  const get = (path: string) => context.parameter<unknown>(path, index, '');
  const source = String(await get('source'));
  switch (source) {
    case 'database':
      return { id: await chosenWorkflowId(context, index) };
    case 'parameter':
      return {
        workflow: parseJsonParameter(
          await get('workflowJson'),
          'The workflow JSON of the node is not valid JSON',
        ),
      };
    case 'url': {
      const response = await context.network.fetch(String(await get('workflowUrl')), {
        signal: context.signal,
      });
      if (!response.ok) throw new NodeError(`The workflow could not be fetched: status ${response.status}`);
      return {
        workflow: parseJsonParameter(await response.text(), 'What that address answers is not valid JSON'),
      };
    }
    default:
      throw new NodeError(`Workflows cannot be called from the source "${source}"`, {
        description: 'Import the file as a workflow of this server, and choose it here.',
      });
  }
}

/** The item as it is, or with the fields that the node defines for the callee. */
async function inputOf(context: NodeContext, item: Item, index: number): Promise<Item> {
  const inputs = await context.parameter<unknown>('workflowInputs', index, undefined);
  if (!isObject(inputs) || inputs.mappingMode !== 'defineBelow' || !isObject(inputs.value)) return item;
  if (Object.keys(inputs.value).length === 0) return item;
  return { ...item, json: inputs.value as JsonObject };
}
