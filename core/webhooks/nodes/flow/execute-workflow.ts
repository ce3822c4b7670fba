/** Calls another workflow. */

import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem, paired } from '../../node-api/per-item.ts';
import { executeWorkflowParameters } from './execute-workflow/parameters.ts';

type Target = { id: string } | { workflow: unknown };

export const executeWorkflow: NodeType = {
  name: 'n8n-nodes-base.executeWorkflow',
  label: 'Execute Sub-workflow',
  description: 'Calls another workflow, and goes on with what it gives.',
  group: 'flow',
  versions: [1, 1.1, 1.2, 1.3],
  inputs: 1,
  outputs: ['main'],
  parameters: executeWorkflowParameters,
  async execute(context) {
    const items = context.items();
    const wait = (await context.parameter('options.waitForSubWorkflow', 0, true)) !== false;
    if ((await context.parameter('mode', 0)) !== 'each') {
      const given = await Promise.all(items.map((item, index) => inputOf(context, item, index)));
      return [called(await context.callWorkflow(await targetOf(context, 0), given, { wait }), items, wait)];
    }
    const made: Item[] = [];
    for (const [index, item] of items.entries()) {
      context.signal.throwIfAborted();
      try {
        const given = [await inputOf(context, item, index)];
        const output = await context.callWorkflow(await targetOf(context, index), given, { wait });
        for (const one of called(output, [item], wait)) {
          const { pairedItem: _inner, ...rest } = one;
          made.push(paired(rest, { item: index }));
        }
      } catch (error) {
        made.push(failedItem(context, error, index));
      }
    }
    return [made];
  },
};

/** What goes on: the callee's items, or, when its end is not awaited, those that came in. */
function called(output: (Item[] | null)[], items: Item[], wait: boolean): Item[] {
  if (!wait) return items.map((item, index) => ({ ...item, pairedItem: { item: index } }));
  return output.find((list) => list && list.length > 0) ?? [];
}

async function targetOf(context: NodeContext, index: number): Promise<Target> {
  const get = (path: string) => context.parameter<unknown>(path, index, '');
  const source = String(await get('source'));
  switch (source) {
    case 'database': {
      const chosen = await get('workflowId');
      const id = String((isObject(chosen) ? chosen.value : chosen) ?? '').trim();
      if (id === '') throw new NodeError('No workflow is chosen', { itemIndex: index });
      return { id };
    }
    case 'parameter':
      return { workflow: parsed(await get('workflowJson'), 'The workflow JSON of the node') };
    case 'url': {
      const response = await context.network.fetch(String(await get('workflowUrl')), {
        signal: context.signal,
      });
      if (!response.ok) throw new NodeError(`The workflow could not be fetched: status ${response.status}`);
      return { workflow: parsed(await response.text(), 'What that address answers') };
    }
    default:
      throw new NodeError(`Workflows cannot be called from the source "${source}"`, {
        description: 'Import the file as a workflow of this server, and choose it here.',
      });
  }
}

function parsed(given: unknown, what: string): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch (cause) {
    throw new NodeError(`${what} is not valid JSON`, { cause });
  }
}

/** The item as it came, or the fields that are mapped for the callee. */
async function inputOf(context: NodeContext, item: Item, index: number): Promise<Item> {
  const inputs = await context.parameter<unknown>('workflowInputs', index, undefined);
  if (!isObject(inputs) || inputs.mappingMode !== 'defineBelow' || !isObject(inputs.value)) return item;
  if (Object.keys(inputs.value).length === 0) return item;
  return { ...item, json: inputs.value as JsonObject };
}
