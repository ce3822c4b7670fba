/** Repeats within one input. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { deletePath, getPath, type Item, type JsonObject, setPath } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';

/** The first of items that are equal in what is compared. */
export async function withoutRepeats(context: NodeContext, items: Item[]): Promise<Item[]> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, 0, fallback);
  const compare = String(await get('compare'));
  const flat = (await get('options.disableDotNotation', false)) === true;
  const only = (await get('options.removeOtherFields', false)) === true;
  const chosen = commaList(
    await get(compare === 'selectedFields' ? 'fieldsToCompare' : 'fieldsToExclude', ''),
  );
  if (compare !== 'allFields' && chosen.length === 0) {
    throw new NodeError(
      compare === 'selectedFields'
        ? 'No fields specified. Please add a field to compare on'
        : 'No fields specified. Please add a field to exclude from comparison',
    );
  }
  if (compare === 'selectedFields') checkFields(items, chosen, flat);
  const part = (json: JsonObject): JsonObject => {
    if (compare === 'allFields') return json;
    if (compare === 'selectedFields') return picked(json, chosen, flat);
    const rest = structuredClone(json);
    for (const field of chosen) {
      if (flat) delete rest[field];
      else deletePath(rest, field);
    }
    return rest;
  };
  const seen = new Set<string>();
  const kept: Item[] = [];
  for (const [index, item] of items.entries()) {
    const compared = part(item.json);
    const key = stable(compared);
    if (seen.has(key)) continue;
    seen.add(key);
    const json = only ? structuredClone(compared) : item.json;
    kept.push({ ...item, json, pairedItem: { item: index } });
  }
  return kept;
}

function picked(json: JsonObject, fields: string[], flat: boolean): JsonObject {
  const made: JsonObject = {};
  for (const field of fields) {
    if (flat) made[field] = json[field];
    else setPath(made, field, getPath(json, field));
  }
  return made;
}

/** Comparing makes sense only where all items have the field, and of one type. */
function checkFields(items: Item[], fields: string[], flat: boolean): void {
  for (const field of fields) {
    let type: string | undefined;
    let from = 0;
    for (const [index, { json }] of items.entries()) {
      const value = flat ? json[field] : getPath(json, field);
      if (value === undefined) {
        throw new NodeError(`'${field}' field is missing from some input items`, {
          description: `Item ${index} has no field '${field}'.`,
        });
      }
      if (value === null) continue;
      if (type !== undefined && typeof value !== type) {
        throw new NodeError(`'${field}' isn't always the same type`, {
          description: `In item ${from} it is a ${type}, in item ${index} a ${typeof value}.`,
        });
      }
      if (type === undefined) from = index;
      type = typeof value;
    }
  }
}

/** Text that is the same for values that are the same, whatever the order of their keys. */
function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${stable(value[key])}`).join(',')}}`;
}
