/** Works on several items at a time, as the AI nodes do. */
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { failedItem } from '../../../node-api/per-item.ts';
import { rootError } from './root-error.ts';

interface Batching {
  size: number;
  /** Milliseconds between two batches. */
  delay: number;
}

/** @param path of the group of parameters with `batchSize` and `delayBetweenBatches` */
export async function readBatching(context: NodeContext, path: string, size: number): Promise<Batching> {
  const value = await context.parameter<{ batchSize?: unknown; delayBetweenBatches?: unknown }>(path, 0, {});
  const own = Math.floor(Number(value?.batchSize ?? size));
  return { size: own >= 1 ? own : size, delay: Math.max(0, Number(value?.delayBetweenBatches ?? 0) || 0) };
}

/**
 * The new items of each item. A failing item becomes one with `json.error` if the node continues after errors.
 * @throws the error of the first failing item
 */
export async function inBatches<T>(
  context: NodeContext,
  { size, delay }: Batching,
  work: (item: Item, index: number) => Promise<T>,
): Promise<({ value: T } | { failed: Item })[]> {
  const items = context.items();
  const results: ({ value: T } | { failed: Item })[] = [];
  for (let from = 0; from < items.length; from += size) {
    context.signal.throwIfAborted();
    if (from > 0 && delay > 0) await context.sleep(delay);
    const outcomes = await Promise.allSettled(
      items.slice(from, from + size).map((item, position) => work(item, from + position)),
    );
    for (const [position, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') results.push({ value: outcome.value });
      else {
        const index = from + position;
        results.push({ failed: failedItem(context, rootError(outcome.reason, index), index) });
      }
    }
  }
  return results;
}
