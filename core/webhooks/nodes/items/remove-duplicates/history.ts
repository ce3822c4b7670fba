/** What earlier runs saw: kept with the workflow's static data, which production runs save. */
import { md5 } from 'hash-wasm';
import { parseDate } from '#core/webhooks/conditions/parse-date.ts';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { Item, NodeOutput } from '#core/workflow-format';

interface History {
  /** Values, or the digests of long ones; oldest first. */
  values?: string[];
  /** The highest number so far. */
  key?: number;
  /** The latest date so far, in milliseconds since 1970. */
  date?: number;
}

/** Beside what Code nodes keep there. */
const KEY = '$removeDuplicates';
const DEFAULT_SIZE = 10_000;
/** Characters; longer values are kept as their digests. */
const LONGEST_VALUE = 32;

/** Kept items, discarded items. */
export async function seenBefore(context: NodeContext, items: Item[]): Promise<NodeOutput> {
  const logic = String(await context.parameter('logic', 0));
  const history = await historyOf(context);
  const outcome: [Item[], Item[]] = [[], []];
  const put = (isNew: boolean, item: Item, index: number) =>
    outcome[isNew ? 0 : 1].push({ ...item, pairedItem: { item: index } });
  if (logic === 'removeItemsWithAlreadySeenKeyValues') {
    const size = Number(await context.parameter('options.historySize', 0, DEFAULT_SIZE));
    if (!Number.isInteger(size) || size < 1)
      throw new NodeError('The history size must be a whole number above 0');
    const known = new Set(history.values ?? []);
    for (const [index, item] of items.entries()) {
      const value = await keyOf(await context.parameter('dedupeValue', index));
      put(!known.has(value), item, index);
      known.add(value);
    }
    if (known.size > size) {
      context.hint(`Only the latest ${size} values are remembered: items seen before them count as new.`);
    }
    history.values = [...known].slice(-size);
    return outcome;
  }
  const isDate = logic === 'removeItemsUpToStoredDate';
  if (!isDate && logic !== 'removeItemsUpToStoredIncrementalKey') {
    throw new NodeError(`The rule "${logic}" does not exist`);
  }
  const field = isDate ? 'date' : 'key';
  const before = history[field] ?? Number.NEGATIVE_INFINITY;
  let highest = before;
  for (const [index, item] of items.entries()) {
    const given = await context.parameter(isDate ? 'dateDedupeValue' : 'incrementalDedupeValue', index);
    const value = isDate ? dateOf(given, context.timezone, index) : numberOf(given, index);
    put(value > before, item, index);
    highest = Math.max(highest, value);
  }
  if (Number.isFinite(highest)) history[field] = highest;
  return outcome;
}

export async function clearHistory(context: NodeContext): Promise<void> {
  const data = await scopeOf(context);
  delete data[KEY];
}

async function historyOf(context: NodeContext): Promise<History> {
  const data = await scopeOf(context);
  data[KEY] ??= {};
  return data[KEY] as History;
}

async function scopeOf(context: NodeContext): Promise<Record<string, unknown>> {
  const scope = await context.parameter('options.scope', 0, 'node');
  return context.staticData(scope === 'workflow' ? 'global' : 'node');
}

async function keyOf(value: unknown): Promise<string> {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > LONGEST_VALUE ? `md5:${await md5(text)}` : text;
}

function numberOf(given: unknown, itemIndex: number): number {
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new NodeError(`The value to compare must be a number, not ${JSON.stringify(given)}`, { itemIndex });
}

function dateOf(given: unknown, zone: string, itemIndex: number): number {
  const date = parseDate(given, zone);
  if (date?.isValid) return date.toMillis();
  throw new NodeError(`The value to compare must be a date, not ${JSON.stringify(given)}`, { itemIndex });
}
