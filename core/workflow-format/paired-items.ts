/** Follows items back to the items that they came from. */
import type { RunData } from './execution-data.ts';
import type { InputSource, ItemPairing, PairedItem } from './item.ts';

/** An item in the output of a node. */
export interface ItemPosition {
  run: number;
  output: number;
  index: number;
}

/** `lost`: an item on the way has no pairing. `unconnected`: no way leads to the node. */
export type ItemOrigin = ItemPosition | { problem: 'lost' | 'ambiguous' | 'unconnected' };

/** The paired items of an item as a list. There may be none, one or several. */
export function pairedItems(pairing: ItemPairing | undefined): PairedItem[] {
  if (pairing === undefined || pairing === null) return [];
  if (typeof pairing === 'number') return [{ item: pairing }];
  if (!Array.isArray(pairing)) return [pairing];
  return pairing.map((entry) => (typeof entry === 'number' ? { item: entry } : entry));
}

/**
 * Finds the item of node `origin` that an input item came from.
 * @param sources the sources of the inputs
 * @param input number of the input, and `index` of its item
 */
export function originOf(
  runData: RunData,
  sources: (InputSource | null)[],
  input: number,
  index: number,
  origin: string,
): ItemOrigin {
  const found = new Map<string, ItemPosition>();
  let isConnected = false;
  let isLost = false;
  const visited = new Set<string>();
  const follow = (from: (InputSource | null)[], pair: PairedItem): void => {
    const source = pair.sourceOverwrite ?? from[pair.input ?? 0];
    if (!source) return;
    const { previousNode, previousNodeRun: run = 0, previousNodeOutput: output = 0 } = source;
    const key = `${previousNode}\n${run}\n${output}\n${pair.item}`;
    if (visited.has(key)) return;
    visited.add(key);
    if (previousNode === origin) {
      isConnected = true;
      found.set(key, { run, output, index: pair.item });
      return;
    }
    const task = runData[previousNode]?.[run];
    const item = task?.data?.main?.[output]?.[pair.item];
    const pairs = pairedItems(item?.pairedItem);
    if (pairs.length === 0) isLost = true;
    for (const next of pairs) follow(task?.source ?? [], next);
  };
  follow(sources, { item: index, input });
  const [first] = found.values();
  if (first && found.size === 1) return first;
  if (found.size > 1) return { problem: 'ambiguous' };
  return { problem: isLost || isConnected ? 'lost' : 'unconnected' };
}
