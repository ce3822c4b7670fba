/** Removes items that are repeated in one input. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { Item, JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';
import { omitFields, readField, writeField } from '../../shared/fields.ts';

/**
 * The items without those that equal an earlier one in the fields that the node compares.
 * @param everyField whether items must have each field that any of them has, also inside of objects and lists
 */
export async function uniqueItems(context: NodeContext, items: Item[], everyField = false): Promise<Item[]> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, 0, fallback);
  const compare = String(await get('compare'));
  const dots = (await get('options.disableDotNotation', false)) !== true;
  const removeOtherFields = (await get('options.removeOtherFields', false)) === true;
  const fields = commaList(
    await get(compare === 'selectedFields' ? 'fieldsToCompare' : 'fieldsToExclude', ''),
  );
  if (compare !== 'allFields' && fields.length === 0) {
    throw new NodeError(
      compare === 'selectedFields'
        ? 'No fields specified. Please add a field to compare on'
        : 'No fields specified. Please add a field to exclude from comparison',
    );
  }
  if (compare === 'selectedFields') requireComparable(items, fields, dots);
  else if (everyField)
    requireComparable(items, leafNames(items, compare === 'allFields' ? [] : fields), dots);
  const comparedPart = (json: JsonObject): JsonObject => {
    if (compare === 'allFields') return json;
    return compare === 'selectedFields' ? selectFields(json, fields, dots) : omitFields(json, fields, dots);
  };
  const seen = new Set<string>();
  const unique: Item[] = [];
  for (const [index, item] of items.entries()) {
    const compared = comparedPart(item.json);
    const key = stableText(compared);
    if (seen.has(key)) continue;
    seen.add(key);
    const json = removeOtherFields ? structuredClone(compared) : item.json;
    unique.push({ ...item, json, pairedItem: { item: index } });
  }
  return unique;
}

/** The paths of all values that are neither objects nor lists: `tags.0`, `o.k`. */
function leafNames(items: Item[], excluded: string[]): string[] {
  const names = new Set<string>();
  const add = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) names.add(path);
    else for (const [key, inner] of Object.entries(value)) add(inner, path === '' ? key : `${path}.${key}`);
  };
  for (const { json } of items) add(json, '');
  return [...names].filter((name) => !excluded.includes(name));
}

/** Null fields are part of the result: `requireComparable` has refused missing ones. */
function selectFields(json: JsonObject, fields: string[], dots: boolean): JsonObject {
  const selected: JsonObject = {};
  for (const field of fields) writeField(selected, field, readField(json, field, dots), dots);
  return selected;
}

/** Throws when an item lacks a field, or when a field has values of several types. */
function requireComparable(items: Item[], fields: string[], dots: boolean): void {
  for (const field of fields) {
    let type: string | undefined;
    let typedIndex = 0;
    for (const [index, { json }] of items.entries()) {
      const value = readField(json, field, dots);
      if (value === undefined) {
        throw new NodeError(`'${field}' field is missing from some input items`, {
          description: `Item ${index} has no field '${field}'.`,
        });
      }
      if (value === null) continue;
      if (type !== undefined && typeof value !== type) {
        throw new NodeError(`'${field}' isn't always the same type`, {
          description: `In item ${typedIndex} it is a ${type}, in item ${index} a ${typeof value}.`,
        });
      }
      if (type === undefined) typedIndex = index;
      type = typeof value;
    }
  }
}

/** JSON with sorted keys: equal values have equal texts. */
function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${stableText(value[key])}`).join(',')}}`;
}
