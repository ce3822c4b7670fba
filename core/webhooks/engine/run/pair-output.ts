import type { Item, NodeOutput } from '#core/workflow-format';

/**
 * Adds pairings that follow from the number of items. There are as many output items as input items, one input item, or
 * one output item, which belongs to the first input item. With items at several inputs nothing is added.
 */
export function pairOutput(output: NodeOutput, inputs: (Item[] | null)[]): NodeOutput {
  const filled = inputs.flatMap((items, input) => (items && items.length > 0 ? [{ items, input }] : []));
  const [first] = filled;
  if (!first || filled.length > 1) return output;
  const { items: inputItems, input } = first;
  const isSingle = inputItems.length === 1 || (output.length === 1 && output[0]?.length === 1);
  return output.map((items) => {
    if (!items || items.every(({ pairedItem }) => pairedItem !== undefined)) return items;
    if (!isSingle && items.length !== inputItems.length) return items;
    return items.map((item, index) => {
      if (item.pairedItem !== undefined) return item;
      const itemIndex = isSingle ? 0 : index;
      return { ...item, pairedItem: input === 0 ? { item: itemIndex } : { item: itemIndex, input } };
    });
  });
}
