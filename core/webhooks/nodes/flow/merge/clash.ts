/** Makes one item of several, by the rules for fields that they share. */

import { isObject } from '#core/base';
import {
  type Item,
  isForbiddenKey,
  type JsonObject,
  type PairedItem,
  pairedItems,
} from '#core/workflow-format';
import type { ClashSettings } from './settings.ts';

/** `items[n]` came from input n. */
export function mergedItem(items: Item[], clash: ClashSettings): Item {
  const ordered = order(items, clash.resolveClash);
  const json =
    clash.resolveClash === 'addSuffix'
      ? suffixed(items)
      : ordered.reduce<JsonObject>((into, { json: from }) => mergeInto(into, from, clash), {});
  const binary = Object.assign({}, ...ordered.map((item) => item.binary ?? {}));
  const pairedItem: PairedItem[] = items.flatMap((item) => pairedItems(item.pairedItem));
  return Object.keys(binary).length > 0 ? { json, binary, pairedItem } : { json, pairedItem };
}

/** The one that wins comes last. */
function order(items: Item[], resolve: string): Item[] {
  const [, number] = /^preferInput(\d+)$/.exec(resolve) ?? [];
  const winner = number === undefined ? undefined : items[Number(number) - 1];
  return winner ? [...items.filter((item) => item !== winner), winner] : items;
}

function mergeInto(into: JsonObject, from: JsonObject, clash: ClashSettings): JsonObject {
  for (const [key, value] of Object.entries(from)) {
    if (isForbiddenKey(key)) continue;
    const known = into[key];
    if (clash.mergeMode === 'deepMerge' && isObject(known) && isObject(value)) {
      into[key] = mergeInto({ ...known }, value, clash);
    } else if (!(clash.overrideEmpty && isEmpty(value) && known !== undefined)) into[key] = value;
  }
  return into;
}

function suffixed(items: Item[]): JsonObject {
  const count = new Map<string, number>();
  for (const { json } of items)
    for (const key of Object.keys(json)) count.set(key, (count.get(key) ?? 0) + 1);
  const made: JsonObject = {};
  for (const [index, { json }] of items.entries()) {
    for (const [key, value] of Object.entries(json)) {
      made[count.get(key)! > 1 ? `${key}_${index + 1}` : key] = value;
    }
  }
  return made;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
