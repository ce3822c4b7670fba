import type { Item, PairedItem } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';

/** The items of an input, each paired with itself: for nodes that pass items on. */
export function pairedInput(context: NodeContext, input = 0): Item[] {
  return context.items(input).map((item, index) => {
    const pairedItem: PairedItem = input === 0 ? { item: index } : { item: index, input };
    return { ...item, pairedItem };
  });
}
