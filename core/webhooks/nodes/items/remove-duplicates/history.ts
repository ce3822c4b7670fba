/** The values that earlier runs saw. They are part of the workflow's static data, which production runs save. */

import { md5 } from 'hash-wasm';
import { jsonText } from '#core/base';
import { parseDateMillis } from '#core/webhooks/conditions/parse-date.ts';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { Item, NodeOutput } from '#core/workflow-format';

interface SeenHistory {
  /** Values, or digests of long values; oldest first. */
  values?: string[];
  /** The highest number so far. */
  key?: number;
  /** The latest date so far, in milliseconds since 1970. */
  date?: number;
}

/** The entry in the static data, which Code nodes use as well. */
const KEY = '$removeDuplicates';
const DEFAULT_SIZE = 10_000;
/** Characters; of longer values the digest is stored. */
const MAX_VALUE_LENGTH = 32;

/** Two outputs: the new items, and those that an earlier run saw. Adds the new ones to the history. */
export async function partitionBySeen(context: NodeContext, items: Item[]): Promise<NodeOutput> {
  const logic = String(await context.parameter('logic', 0));
  const history = await readHistory(context);
  switch (logic) {
    case 'removeItemsWithAlreadySeenKeyValues':
      return partitionByValue(context, items, history);
    case 'removeItemsUpToStoredDate':
      return partitionByOrder(items, history, 'date', async (index) =>
        toMillis(await context.parameter('dateDedupeValue', index), context.timezone, index),
      );
    case 'removeItemsUpToStoredIncrementalKey':
      return partitionByOrder(items, history, 'key', async (index) =>
        toNumber(await context.parameter('incrementalDedupeValue', index), index),
      );
    default:
      throw new NodeError(`The rule "${logic}" does not exist`);
  }
}

async function partitionByValue(
  context: NodeContext,
  items: Item[],
  history: SeenHistory,
): Promise<NodeOutput> {
  const size = Number(await context.parameter('options.historySize', 0, DEFAULT_SIZE));
  if (!Number.isInteger(size) || size < 1) {
    throw new NodeError('The history size must be a whole number above 0');
  }
  const seen = new Set(history.values ?? []);
  const output: [Item[], Item[]] = [[], []];
  for (const [index, item] of items.entries()) {
    const value = await historyValue(await context.parameter('dedupeValue', index));
    output[seen.has(value) ? 1 : 0].push({ ...item, pairedItem: { item: index } });
    seen.add(value);
  }
  if (seen.size > size) {
    context.hint(`Only the latest ${size} values are remembered: items seen before them count as new.`);
  }
  history.values = [...seen].slice(-size);
  return output;
}

/** An item is new if its value is above all values of earlier runs. */
async function partitionByOrder(
  items: Item[],
  history: SeenHistory,
  field: 'key' | 'date',
  readValue: (index: number) => Promise<number>,
): Promise<NodeOutput> {
  const previous = history[field] ?? Number.NEGATIVE_INFINITY;
  let highest = previous;
  const output: [Item[], Item[]] = [[], []];
  for (const [index, item] of items.entries()) {
    const value = await readValue(index);
    output[value > previous ? 0 : 1].push({ ...item, pairedItem: { item: index } });
    highest = Math.max(highest, value);
  }
  if (Number.isFinite(highest)) history[field] = highest;
  return output;
}

/** Makes every item new again. */
export async function clearHistory(context: NodeContext): Promise<void> {
  const data = await staticDataOf(context);
  delete data[KEY];
}

async function readHistory(context: NodeContext): Promise<SeenHistory> {
  const data = await staticDataOf(context);
  data[KEY] ??= {};
  return data[KEY] as SeenHistory;
}

async function staticDataOf(context: NodeContext): Promise<Record<string, unknown>> {
  const scope = await context.parameter('options.scope', 0, 'node');
  return context.staticData(scope === 'workflow' ? 'global' : 'node');
}

async function historyValue(value: unknown): Promise<string> {
  const text = jsonText(value);
  return text.length > MAX_VALUE_LENGTH ? `md5:${await md5(text)}` : text;
}

function toNumber(value: unknown, itemIndex: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new NodeError(`The value to compare must be a number, not ${JSON.stringify(value)}`, { itemIndex });
}

function toMillis(value: unknown, zone: string, itemIndex: number): number {
  const millis = parseDateMillis(value, zone);
  if (millis !== undefined) return millis;
  throw new NodeError(`The value to compare must be a date, not ${JSON.stringify(value)}`, { itemIndex });
}
