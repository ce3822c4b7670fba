import { describe, expect, it } from 'vitest';
import type { Item } from '#core/workflow-format';
import { pairOutput } from './pair-output.ts';

const items = (count: number): Item[] => Array.from({ length: count }, (_, n) => ({ json: { n } }));
const pairs = (output: ReturnType<typeof pairOutput>) =>
  output.map((list) => list?.map(({ pairedItem }) => pairedItem) ?? null);

describe('pairOutput', () => {
  it('pairs as many output items as input items one by one', () => {
    expect(pairs(pairOutput([items(2)], [items(2)]))).toEqual([[{ item: 0 }, { item: 1 }]]);
  });

  it('pairs all output items with one input item', () => {
    expect(pairs(pairOutput([items(3), null], [items(1)]))).toEqual([
      [{ item: 0 }, { item: 0 }, { item: 0 }],
      null,
    ]);
  });

  it('names the input unless it is the first', () => {
    expect(pairs(pairOutput([items(2)], [[], items(2)]))).toEqual([
      [
        { item: 0, input: 1 },
        { item: 1, input: 1 },
      ],
    ]);
    expect(pairs(pairOutput([items(1)], [null, items(1)]))).toEqual([[{ item: 0, input: 1 }]]);
  });

  it('pairs a single output item with the first input item', () => {
    expect(pairs(pairOutput([items(1)], [items(3)]))).toEqual([[{ item: 0 }]]);
    expect(pairs(pairOutput([items(1), []], [items(3)]))).toEqual([[undefined], []]);
  });

  it.each([
    ['other numbers of items', [items(2)], [items(3)]],
    ['items at several inputs', [items(1)], [items(1), items(1)]],
    ['no input items', [items(1)], [[], null]],
  ])('adds nothing with %s', (_title, output, inputs) => {
    expect(pairOutput(output, inputs)).toEqual(output);
  });

  it('keeps the pairings of the node, and adds missing ones', () => {
    const output: Item[] = [{ json: {}, pairedItem: 7 }, { json: {} }];
    expect(pairs(pairOutput([output], [items(2)]))).toEqual([[7, { item: 1 }]]);
    const complete: Item[] = [{ json: {}, pairedItem: 7 }];
    expect(pairOutput([complete], [items(1)])[0]).toBe(complete);
  });
});
