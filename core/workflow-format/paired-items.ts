/** Follows items back to the items they were made of. */

import type { RunData } from './execution-data.ts';
import type { InputSource, PairedItem, Pairing } from './item.ts';

/** An item of a node's output. */
export interface ItemPosition {
  run: number;
  output: number;
  index: number;
}

export type ItemOrigin = ItemPosition | { problem: 'lost' | 'ambiguous' | 'unconnected' };

export function pairedItems(pairing: Pairing | undefined): PairedItem[] {
  if (pairing === undefined || pairing === null) return [];
  if (typeof pairing === 'number') return [{ item: pairing }];
  return Array.isArray(pairing)
    ? pairing.map((one) => (typeof one === 'number' ? { item: one } : one))
    : [pairing];
}

/** The item of node `wanted` that item `index` of input `input` goes back to. */
export function originOf(
  runData: RunData,
  sources: (InputSource | null)[],
  input: number,
  index: number,
  wanted: string,
): ItemOrigin {
  const found = new Map<string, ItemPosition>();
  let connected = false;
  let lost = false;
  const seen = new Set<string>();
  const walk = (at: (InputSource | null)[], from: PairedItem): void => {
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
