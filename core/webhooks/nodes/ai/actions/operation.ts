/** The interface between the nodes of model services and their operations. */
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';

/** Does the work for one item. @throws NodeError, or ModelError for an error of the server */
export type ModelOperation<T = Item[]> = (context: NodeContext, index: number) => Promise<T>;

/** The parameter `options` of an item. */
export async function optionsOf(context: NodeContext, index: number): Promise<JsonObject> {
  return (await context.parameter<JsonObject>('options', index, {})) ?? {};
}

/** A text that must not be empty. @throws NodeError */
export async function promptOf(context: NodeContext, index: number, name: string): Promise<string> {
  const prompt = String((await context.parameter(name, index, '')) ?? '');
  if (prompt.trim() === '') throw new NodeError('A non-empty prompt is required.', { itemIndex: index });
  return prompt;
}

/** One item, or one for each part where the node simplifies its output. */
export async function shown(
  answer: JsonObject,
  parts: JsonObject[],
  context: NodeContext,
  index: number,
): Promise<Item[]> {
  const isSimple = (await context.parameter('simplify', index)) !== false;
  return (isSimple ? parts : [answer]).map((json) => itemOf(json, index));
}

/** An item that belongs to the one at `index`. */
export function itemOf(json: JsonObject, index: number): Item {
  return { json, pairedItem: { item: index } };
}
