/** The loop that most nodes consist of: for each item no, one or several new items. */

import { errorMessage } from '#core/base';
import type { Item, NodeOutput, Pairing } from '#core/workflow-format';
import type { NodeContext } from './node-context.ts';
import { NodeError } from './node-error.ts';

type NewItems = Item | Item[] | undefined;

/**
 * Calls `create` for every item of input 0. A failing item becomes an item with `json.error` if the node continues
 * after errors.
 */
export async function perItem(
  context: NodeContext,
  create: (item: Item, index: number) => Promise<NewItems> | NewItems,
): Promise<NodeOutput> {
  const output: Item[] = [];
  for (const [index, item] of context.items().entries()) {
    context.signal.throwIfAborted();
    try {
      for (const created of toList(await create(item, index))) output.push(paired(created, { item: index }));
    } catch (error) {
      output.push(failedItem(context, error, index));
    }
  }
  return [output];
}

/**
 * The item that represents a failure.
 * @throws the error itself if the node stops the workflow
 */
export function failedItem(context: NodeContext, error: unknown, index: number): Item {
  if (!context.continueOnFail || context.signal.aborted) throw error;
  const shown = error instanceof NodeError && error.json !== undefined ? error.json : errorMessage(error);
  return { json: { error: shown }, pairedItem: { item: index } };
}

/** The item with a pairing, unless it has one. */
export function paired(item: Item, pairing: Pairing): Item {
  return item.pairedItem === undefined ? { ...item, pairedItem: pairing } : item;
}

function toList(items: NewItems): Item[] {
  if (items === undefined) return [];
  return Array.isArray(items) ? items : [items];
}
