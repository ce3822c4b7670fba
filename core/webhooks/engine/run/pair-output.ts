import type { Item, NodeOutput } from '#core/workflow-format';

/** Gives items without a pairing the one that can be known: as many out as in, or all from the only one. */
export function pairOutput(output: NodeOutput, inputs: (Item[] | null)[]): NodeOutput {
  const filled = inputs.flatMap((items, input) => (items && items.length > 0 ? [{ items, input }] : []));
  const [only] = filled;
  if (!only || filled.length > 1) return output;
  const { items: from, input } = only;
  return output.map((items) => {
    if (!items || items.every(({ pairedItem }) => pairedItem !== undefined)) return items;
    if (from.length !== 1 && items.length !== from.length) return items;
    return items.map((item, index) => {
      if (item.pairedItem !== undefined) return item;
      const at = from.length === 1 ? 0 : index;
      return { ...item, pairedItem: input === 0 ? { item: at } : { item: at, input } };
    });
  });
}
