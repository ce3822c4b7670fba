/** Joins items whose fields are equal, as tables are joined. */

import { getPath, type Item } from '#core/workflow-format';
import { mergedItem } from './clash.ts';
import type { MergeSettings } from './settings.ts';

export function combineByFields(first: Item[], second: Item[], settings: MergeSettings): Item[] {
  const key1 = (item: Item) => keyOf(item, settings, 'field1');
  const byKey = new Map<string, Item[]>();
  for (const item of second) {
    const key = keyOf(item, settings, 'field2');
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), item]);
  }
  const matched2 = new Set<Item>();
  const matched1 = new Set<Item>();
  const pairs: [Item, Item][] = [];
  for (const item of first) {
    const key = key1(item);
    let found = key === undefined ? [] : (byKey.get(key) ?? []);
    for (const one of found) matched2.add(one);
    if (found.length === 0) continue;
    matched1.add(item);
    if (settings.multipleMatches === 'first') found = found.slice(0, 1);
    for (const one of found) pairs.push([item, one]);
  }
  const left = first.filter((item) => !matched1.has(item));
  const right = second.filter((item) => !matched2.has(item));
  const merged = () => pairs.map((pair) => mergedItem(pair, settings.clash));
  const from = settings.outputDataFrom;
  switch (settings.joinMode) {
    case 'keepNonMatches':
      return from === 'input1' ? left : from === 'input2' ? right : [...left, ...right];
    case 'keepEverything':
      return [...merged(), ...left, ...right];
    case 'enrichInput1':
      return inOrder(first, pairs, 0, settings);
    case 'enrichInput2':
      return inOrder(second, pairs, 1, settings);
    default:
      if (from === 'input1') return [...matched1];
      if (from === 'input2') return second.filter((item) => matched2.has(item));
      return merged();
  }
}

/** Every item of one side, merged with its matches where it has any. */
function inOrder(items: Item[], pairs: [Item, Item][], side: 0 | 1, settings: MergeSettings): Item[] {
  const matches = new Map<Item, [Item, Item][]>();
  for (const pair of pairs) matches.set(pair[side], [...(matches.get(pair[side]) ?? []), pair]);
  const clash =
    settings.clash.resolveClash === 'preferLast' && side === 1
      ? { ...settings.clash, resolveClash: 'preferInput1' }
      : settings.clash;
  return items.flatMap((item) => matches.get(item)?.map((pair) => mergedItem(pair, clash)) ?? [item]);
}

/** Undefined when a field is missing: such items match nothing. */
function keyOf(item: Item, settings: MergeSettings, side: 'field1' | 'field2'): string | undefined {
  const values: unknown[] = [];
  for (const field of settings.fields) {
    const name = field[side];
    const value = settings.dots ? getPath(item.json, name) : item.json[name];
    if (value === undefined) return undefined;
    values.push(settings.fuzzyCompare ? fuzzy(value) : value);
  }
  return JSON.stringify(values);
}

/** `3` and `"3"` are the same, and so are all kinds of nothing. */
function fuzzy(value: unknown): unknown {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return null;
  if (typeof value === 'string') return value.trim().toLowerCase();
  return typeof value === 'object' ? value : String(value).toLowerCase();
}
