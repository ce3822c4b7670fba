/** Follows items back to the items they were made of. */
import type { Item, NodeOutput, PairedItem, Pairing, Source } from '../workflow/types.ts';
import type { RunData } from './record.ts';

/** An item of a node's output. */
export interface Place {
  run: number;
  output: number;
  index: number;
}

export type Origin = Place | { problem: 'lost' | 'ambiguous' | 'unconnected' };

export function pairedItems(pairing: Pairing | undefined): PairedItem[] {
  if (pairing === undefined || pairing === null) return [];
  if (typeof pairing === 'number') return [{ item: pairing }];
  return Array.isArray(pairing)
    ? pairing.map((one) => (typeof one === 'number' ? { item: one } : one))
    : [pairing];
}

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

/** The item of node `wanted` that item `index` of input `input` goes back to. */
export function originOf(
  runData: RunData,
  sources: (Source | null)[],
  input: number,
  index: number,
  wanted: string,
): Origin {
  const found = new Map<string, Place>();
  let connected = false;
  let lost = false;
  const seen = new Set<string>();
  const walk = (at: (Source | null)[], from: PairedItem): void => {
    const source = from.sourceOverwrite ?? at[from.input ?? 0];
    if (!source) return;
    const run = source.previousNodeRun ?? 0;
    const output = source.previousNodeOutput ?? 0;
    const key = `${source.previousNode}\n${run}\n${output}\n${from.item}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (source.previousNode === wanted) {
      connected = true;
      found.set(key, { run, output, index: from.item });
      return;
    }
    const task = runData[source.previousNode]?.[run];
    const item = task?.data?.main[output]?.[from.item];
    const pairs = pairedItems(item?.pairedItem);
    if (pairs.length === 0) lost = true;
    for (const pair of pairs) walk(task?.source ?? [], pair);
  };
  walk(sources, { item: index, input });
  const [first] = found.values();
  if (first && found.size === 1) return first;
  if (found.size > 1) return { problem: 'ambiguous' };
  return { problem: lost || connected ? 'lost' : 'unconnected' };
}
