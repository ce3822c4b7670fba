/** Merges several items into one, by the rules for fields that they share. */

import { isObject } from '#core/base';
import {
  type Item,
  isForbiddenKey,
  type JsonObject,
  type PairedItem,
  pairedItems,
} from '#core/workflow-format';
import type { ClashSettings } from './merge-settings.ts';

/** @param items the item of each input, in the order of the inputs */
export function mergeItems(items: Item[], clash: ClashSettings): Item {
  const ordered = winnerLast(items, clash.resolveClash);
  const json =
    clash.resolveClash === 'addSuffix'
      ? mergeWithSuffixes(items)
      : ordered.reduce<JsonObject>((into, { json: from }) => mergeInto(into, from, clash), {});
  const binary = Object.assign({}, ...ordered.map((item) => item.binary ?? {}));
  const pairedItem: PairedItem[] = items.flatMap((item) => pairedItems(item.pairedItem));
  return Object.keys(binary).length > 0 ? { json, binary, pairedItem } : { json, pairedItem };
}

function winnerLast(items: Item[], resolveClash: string): Item[] {
  const [, number] = /^preferInput(\d+)$/.exec(resolveClash) ?? [];
  const winner = number === undefined ? undefined : items[Number(number) - 1];
  return winner ? [...items.filter((item) => item !== winner), winner] : items;
}

function mergeInto(into: JsonObject, from: JsonObject, clash: ClashSettings): JsonObject {
  for (const [key, value] of Object.entries(from)) {
    if (isForbiddenKey(key)) continue;
    const earlier = into[key];
    if (clash.mergeMode === 'deepMerge' && isObject(earlier) && isObject(value)) {
      into[key] = mergeInto({ ...earlier }, value, clash);
    } else if (!(clash.overrideEmpty && isEmpty(value) && earlier !== undefined)) into[key] = value;
  }
  return into;
}

/** Adds the number of the input to the names that several items have. */
function mergeWithSuffixes(items: Item[]): JsonObject {
  const counts = new Map<string, number>();
  for (const { json } of items) {
    for (const key of Object.keys(json)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const merged: JsonObject = {};
  for (const [index, { json }] of items.entries()) {
    for (const [key, value] of Object.entries(json)) {
      merged[counts.get(key)! > 1 ? `${key}_${index + 1}` : key] = value;
    }
  }
  return merged;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
