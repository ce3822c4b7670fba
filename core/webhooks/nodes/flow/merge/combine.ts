import type { Item } from '#core/workflow-format';
import { mergeItems } from './merge-items.ts';
import type { MergeSettings } from './merge-settings.ts';

/** Merges the first items of all inputs, then the second ones, and so on. */
export function combineByPosition(inputs: Item[][], settings: MergeSettings): Item[] {
  const lengths = inputs.map(({ length }) => length);
  const count = settings.includeUnpaired ? Math.max(0, ...lengths) : Math.min(...lengths);
  return Array.from({ length: count }, (_, index) =>
    mergeOrKeep(
      inputs.flatMap((items) => items[index] ?? []),
      settings,
    ),
  );
}

/** An item without others at its position stays as it is. */
function mergeOrKeep(items: Item[], { clash }: MergeSettings): Item {
  return items.length === 1 ? items[0]! : mergeItems(items, clash);
}

/** Merges each item of the first input with each of the second. */
export function combineAll(first: Item[], second: Item[], settings: MergeSettings): Item[] {
  return first.flatMap((item) => second.map((other) => mergeItems([item, other], settings.clash)));
}
