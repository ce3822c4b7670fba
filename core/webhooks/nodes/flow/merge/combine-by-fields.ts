/** Joins items with equal fields, like rows of tables. */

import type { Item } from '#core/workflow-format';
import { readField } from '../../shared/fields.ts';
import { mergeItems } from './merge-items.ts';
import type { MergeSettings } from './merge-settings.ts';

type Match = [first: Item, second: Item];

/** The output of both inputs by the node's join mode. */
export function combineByFields(first: Item[], second: Item[], settings: MergeSettings): Item[] {
  const { pairs, matched } = findMatches(first, second, settings);
  const unmatchedFirst = first.filter((item) => !matched.has(item));
  const unmatchedSecond = second.filter((item) => !matched.has(item));
  const mergePairs = () => pairs.map((pair) => mergeItems(pair, settings.clash));
  const from = settings.outputDataFrom;
  switch (settings.joinMode) {
    case 'keepNonMatches':
      if (from === 'input1') return unmatchedFirst;
      return from === 'input2' ? unmatchedSecond : [...unmatchedFirst, ...unmatchedSecond];
    case 'keepEverything':
      return [...mergePairs(), ...unmatchedFirst, ...unmatchedSecond];
    case 'enrichInput1':
      return enrich(first, pairs, 0, settings);
    case 'enrichInput2':
      return enrich(second, pairs, 1, settings);
    default:
      if (from === 'input1') return first.filter((item) => matched.has(item));
      if (from === 'input2') return second.filter((item) => matched.has(item));
      return mergePairs();
  }
}

/** The pairs in the order of the first input, and all items that have a match. */
function findMatches(
  first: Item[],
  second: Item[],
  settings: MergeSettings,
): { pairs: Match[]; matched: Set<Item> } {
  const secondByKey = new Map<string, Item[]>();
  for (const item of second) {
    const key = keyOf(item, settings, 'field2');
    if (key !== undefined) secondByKey.set(key, [...(secondByKey.get(key) ?? []), item]);
  }
  const matched = new Set<Item>();
  const pairs: Match[] = [];
  for (const item of first) {
    const key = keyOf(item, settings, 'field1');
    const matches = key === undefined ? [] : (secondByKey.get(key) ?? []);
    if (matches.length === 0) continue;
    matched.add(item);
    for (const match of matches) matched.add(match);
    const used = settings.multipleMatches === 'first' ? matches.slice(0, 1) : matches;
    for (const match of used) pairs.push([item, match]);
  }
  return { pairs, matched };
}

/** The merged pairs, those of one input first, and then the items of that input that have no match. */
function enrich(items: Item[], pairs: Match[], side: 0 | 1, settings: MergeSettings): Item[] {
  const matches = new Map<Item, Match[]>();
  for (const pair of pairs) matches.set(pair[side], [...(matches.get(pair[side]) ?? []), pair]);
  const clash =
    settings.clash.resolveClash === 'preferLast' && side === 1
      ? { ...settings.clash, resolveClash: 'preferInput1' }
      : settings.clash;
  const merged = (item: Item) =>
    (matches.get(item) ?? []).map((pair): Item => {
      const result = mergeItems(pair, clash);
      if (settings.pairsWithFirst) return { ...result, pairedItem: item.pairedItem! };
      return side === 1 && Array.isArray(result.pairedItem)
        ? { ...result, pairedItem: [...result.pairedItem].reverse() }
        : result;
    });
  if (settings.keepsOrder) return items.flatMap((item) => (matches.has(item) ? merged(item) : [item]));
  return [...items.flatMap(merged), ...items.filter((item) => !matches.has(item))];
}

/** The text by which items are compared. Undefined when the item lacks a field: it matches nothing then. */
function keyOf(item: Item, settings: MergeSettings, side: 'field1' | 'field2'): string | undefined {
  const values: unknown[] = [];
  for (const field of settings.fields) {
    const value = readField(item.json, field[side], settings.dots);
    if (value === undefined) return undefined;
    values.push(settings.fuzzyCompare ? toFuzzy(value) : value);
  }
  return JSON.stringify(values);
}

/** Makes `3` and `"3"` equal, texts that differ in case, and empty values of all types. */
function toFuzzy(value: unknown): unknown {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return null;
  if (typeof value === 'string') return value.trim().toLowerCase();
  return typeof value === 'object' ? value : String(value).toLowerCase();
}
