import { isObject } from '#core/base';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import { parseJsonParameter } from './parse-json.ts';

/**
 * The workflow that a node's parameters name: the id of a stored one, or a workflow as JSON.
 * @throws NodeError if none is chosen or the JSON is invalid
 */
export async function calledWorkflow(
  context: Pick<NodeContext, 'parameter'>,
  itemIndex: number,
): Promise<{ id: string } | { workflow: unknown }> {
  if ((await context.parameter('source', itemIndex)) === 'parameter') {
    const json = await context.parameter('workflowJson', itemIndex);
    return { workflow: parseJsonParameter(json, 'The workflow JSON of the node is not valid JSON') };
  }
  return { id: await chosenWorkflowId(context, itemIndex) };
}

/**
 * The id of the stored workflow that a node's parameters name, as a text or as a chosen element of a list.
 * @throws NodeError if none is chosen
 */
export async function chosenWorkflowId(
  context: Pick<NodeContext, 'parameter'>,
  itemIndex: number,
): Promise<string> {
  const choice = await context.parameter<unknown>('workflowId', itemIndex);
  const id = String((isObject(choice) ? choice.value : choice) ?? '').trim();
  if (id === '') throw new NodeError('No workflow is chosen', { itemIndex });
  return id;
}
