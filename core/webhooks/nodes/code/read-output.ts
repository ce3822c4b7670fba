/** Reads the value that code returned as items. The error texts are recorded from n8n. */

import { isObject } from '#core/base';
import type { Item } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';

/** The word for an object in a language. */
export type ObjectWord = 'object' | 'dictionary';

const ITEM_KEYS = new Set(['json', 'binary', 'pairedItem', 'error', 'index', 'evaluationData']);

/**
 * The items of code that ran once for all items. It returns items or plain objects, a single one of them, or null.
 * @throws NodeError for other values
 */
export function readCodeItems(value: unknown, word: ObjectWord = 'object'): Item[] {
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
      description: `Please return an array of ${word === 'object' ? 'objects' : 'dictionaries'}, one for each item you would like to output.`,
    });
  }
  const items = list.filter((element) => 'json' in element || 'binary' in element);
  if (items.length === 0) return list.map((json) => ({ json }));
  return list.map((element, index) => {
    requireItemKeys(element, index, items.length === list.length);
    return toItem(element, index, word);
  });
}

/**
 * The item of code that ran for one item. It returns an item or a plain object, or null for no item.
 * @throws NodeError for other values
 */
export function readItem(value: unknown, index: number, word: ObjectWord = 'object'): Item | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) throw notAnObject(index, word);
  if (!('json' in value) && !('binary' in value)) return { json: value };
  return toItem(value, index, word);
}

/** @param areAllItems whether every element of the list looks like an item */
function requireItemKeys(value: Record<string, unknown>, index: number, areAllItems: boolean): void {
  const unknown = Object.keys(value).find((key) => !ITEM_KEYS.has(key));
  if (unknown !== undefined) {
    throw areAllItems
      ? new NodeError(`Invalid output format [item ${index}]`, {
          description: `Besides "json" the item has "${unknown}". Put every field of it under "json".`,
          itemIndex: index,
        })
      : new NodeError(`Unknown top-level item key: ${unknown} [item ${index}]`, {
          description: 'Access the properties of an item under `.json`, e.g. `item.json`',
          itemIndex: index,
        });
  }
}

function toItem(
  { json = {}, binary, pairedItem }: Record<string, unknown>,
  index: number,
  word: ObjectWord,
): Item {
  if (!isObject(json)) throw notAnObject(index, word);
  const item: Item = { json };
  if (isObject(binary)) item.binary = binary as NonNullable<Item['binary']>;
  if (pairedItem !== undefined) item.pairedItem = pairedItem as NonNullable<Item['pairedItem']>;
  return item;
}

function notAnObject(index: number, word: ObjectWord): NodeError {
  const phrase = word === 'object' ? 'an object' : 'a dictionary';
  return new NodeError(`A 'json' property isn't ${phrase} [item ${index}]`, {
    description: `In the returned data, every key named 'json' must point to ${phrase}.`,
    itemIndex: index,
  });
}
