/** The loop most nodes are: one item in, none, one or several out, failures by the node's settings. */

import { errorMessage } from '#core/base';
import type { Item, NodeOutput, Pairing } from '#core/workflow-format';
import type { NodeContext } from './node-context.ts';
import { NodeError } from './node-error.ts';

type Made = Item | Item[] | undefined;

/** Calls `make` for every item of input 0. A failing item becomes `{ error }` where the node goes on after errors. */
export async function perItem(
  context: NodeContext,
  make: (item: Item, index: number) => Promise<Made> | Made,
): Promise<NodeOutput> {
  const made: Item[] = [];
  for (const [index, item] of context.items().entries()) {
    context.signal.throwIfAborted();
    try {
      for (const one of listed(await make(item, index))) made.push(paired(one, { item: index }));
    } catch (error) {
      made.push(failedItem(context, error, index));
    }
  }
  return [made];
}

/** The item that stands for a failure, or throws it where the node stops the workflow. */
export function failedItem(context: NodeContext, error: unknown, index: number): Item {
  if (!context.continueOnFail || context.signal.aborted) throw error;
  const shown = error instanceof NodeError && error.json !== undefined ? error.json : errorMessage(error);
  return { json: { error: shown }, pairedItem: { item: index } };
}

/** The item with a pairing, unless it has one. */
export function paired(item: Item, pairing: Pairing): Item {
  return item.pairedItem === undefined ? { ...item, pairedItem: pairing } : item;
}

function listed(made: Made): Item[] {
  if (made === undefined) return [];
  return Array.isArray(made) ? made : [made];
}
