/** Reads what code returned as items, and says what is wrong with it. */

import { isObject } from '#core/base';
import type { Item } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';

const ITEM_KEYS = new Set(['json', 'binary', 'pairedItem', 'error', 'index', 'evaluationData']);

/** Of code that ran once for all items: items, plain objects, one of them, or nothing. */
export function itemsOut(value: unknown): Item[] {
  if (value === null) return [];
  if (value === undefined) {
    throw new NodeError('Unknown error', {
      name: 'WrappedExecutionError',
      description: 'The code returned nothing. End it with `return`, for example `return items;`.',
    });
  }
  const list = Array.isArray(value) ? value : [value];
  if (!list.every(isObject)) {
    throw new NodeError("Code doesn't return items properly", {
      description: 'Please return an array of objects, one for each item you would like to output.',
    });
  }
  const wrapped = list.filter((one) => 'json' in one || 'binary' in one);
  if (wrapped.length === 0) return list.map((json) => ({ json }));
  return list.map((one, index) => wrappedItem(one, index, wrapped.length === list.length));
}

/** Of code that ran for one item: an item or a plain object; undefined for null. */
export function oneItemOut(value: unknown, index: number): Item | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) throw noObject(index);
  if (!('json' in value) && !('binary' in value)) return { json: value };
  return itemOf(value, index);
}

function wrappedItem(value: Record<string, unknown>, index: number, all: boolean): Item {
  const unknown = Object.keys(value).find((key) => !ITEM_KEYS.has(key));
  if (unknown !== undefined) {
    throw all
      ? new NodeError(`Invalid output format [item ${index}]`, {
          description: `Beside "json" the item has "${unknown}". Put every field of it under "json".`,
          itemIndex: index,
        })
      : new NodeError(`Unknown top-level item key: ${unknown} [item ${index}]`, {
          description: 'Access the properties of an item under `.json`, e.g. `item.json`',
          itemIndex: index,
        });
  }
  return itemOf(value, index);
}

function itemOf({ json = {}, binary, pairedItem }: Record<string, unknown>, index: number): Item {
  if (!isObject(json)) throw noObject(index);
  const item: Item = { json };
  if (isObject(binary)) item.binary = binary as NonNullable<Item['binary']>;
  if (pairedItem !== undefined) item.pairedItem = pairedItem as NonNullable<Item['pairedItem']>;
  return item;
}

function noObject(index: number): NodeError {
  return new NodeError(`A 'json' property isn't an object [item ${index}]`, {
    description: "In the returned data, every key named 'json' must point to an object.",
    itemIndex: index,
  });
}
