import type { Item } from '#core/workflow-format';
import { mergedItem } from './clash.ts';
import type { MergeSettings } from './settings.ts';

/** The first with the first, the second with the second … */
export function combineByPosition(inputs: Item[][], settings: MergeSettings): Item[] {
  const lengths = inputs.map(({ length }) => length);
  const count = settings.includeUnpaired ? Math.max(0, ...lengths) : Math.min(...lengths);
  return Array.from({ length: count }, (_, index) =>
    mergedItem(
      inputs.flatMap((items) => items[index] ?? []),
      settings.clash,
    ),
  );
}

/** Every one with every other. */
export function combineAll(first: Item[], second: Item[], settings: MergeSettings): Item[] {
  return first.flatMap((one) => second.map((other) => mergedItem([one, other], settings.clash)));
}
