import { describe, expect, it } from 'vitest';
import type { Item } from '#core/workflow-format';
import type { NodeContext } from './node-context.ts';
import { NodeError } from './node-error.ts';
import { failedItem, paired, perItem } from './per-item.ts';

const contextOf = (items: Item[], more: Partial<NodeContext> = {}) =>
  ({
    items: () => items,
    signal: new AbortController().signal,
    continueOnFail: false,
    ...more,
  }) as NodeContext;
const numbers = [0, 1, 2].map((n) => ({ json: { n } }));

describe('perItem', () => {
  it('pairs no, one or several new items with their item', async () => {
    const output = await perItem(contextOf(numbers), async ({ json }, index) =>
      index === 0 ? undefined : index === 1 ? { json } : [{ json }, { json, pairedItem: 9 }],
    );
    expect(output).toEqual([
      [
        { json: { n: 1 }, pairedItem: { item: 1 } },
        { json: { n: 2 }, pairedItem: { item: 2 } },
        { json: { n: 2 }, pairedItem: 9 },
      ],
    ]);
  });

  const fail = (item: Item, index: number) => {
    if (index === 1) throw new Error('x');
    return item;
  };

  it('stops at a failing item', async () => {
    await expect(perItem(contextOf(numbers), fail)).rejects.toThrow('x');
  });

  it('continues with an item for the failure if the node continues after errors', async () => {
    const [items] = await perItem(contextOf(numbers, { continueOnFail: true }), fail);
    expect(items!.map(({ json }) => json)).toEqual([{ n: 0 }, { error: 'x' }, { n: 2 }]);
    expect(items![1]!.pairedItem).toEqual({ item: 1 });
  });

  it('ends when the execution is cancelled', async () => {
    const controller = new AbortController();
    const context = contextOf(numbers, { signal: controller.signal, continueOnFail: true });
    const seen: number[] = [];
    const run = perItem(context, (item, index) => {
      seen.push(index);
      controller.abort(new Error('cancelled'));
      return item;
    });
    await expect(run).rejects.toThrow('cancelled');
    expect(seen).toEqual([0]);
  });
});

describe('failedItem', () => {
  it('shows the JSON of the error if it has some', () => {
    const context = contextOf([], { continueOnFail: true });
    const error = new NodeError('x', { json: { status: 404 } });
    expect(failedItem(context, error, 3)).toEqual({
      json: { error: { status: 404 } },
      pairedItem: { item: 3 },
    });
    expect(failedItem(context, new NodeError('x'), 0).json).toEqual({ error: 'x' });
  });

  it('throws the error of a cancelled execution', () => {
    const context = contextOf([], { continueOnFail: true, signal: AbortSignal.abort() });
    expect(() => failedItem(context, new Error('x'), 0)).toThrow('x');
  });
});

it('paired keeps an existing pairing', () => {
  expect(paired({ json: {}, pairedItem: 0 }, { item: 5 }).pairedItem).toBe(0);
  expect(paired({ json: {} }, { item: 5 }).pairedItem).toEqual({ item: 5 });
});
