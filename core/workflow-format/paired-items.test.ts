import { describe, expect, it } from 'vitest';
import type { RunData, TaskData } from './execution-data.ts';
import type { InputSource, Item, ItemPairing } from './item.ts';
import { originOf, pairedItems } from './paired-items.ts';

const from = (previousNode: string, more: Partial<InputSource> = {}): InputSource => ({
  previousNode,
  ...more,
});
const items = (...pairings: (ItemPairing | undefined)[]): Item[] =>
  pairings.map((pairedItem) => ({ json: {}, ...(pairedItem !== undefined && { pairedItem }) }));
const task = (source: (InputSource | null)[], ...main: Item[][]): TaskData => ({
  startTime: 0,
  executionIndex: 0,
  source,
  hints: [],
  executionTime: 0,
  executionStatus: 'success',
  data: { main },
});

it.each([
  [undefined, []],
  [2, [{ item: 2 }]],
  [{ item: 1, input: 1 }, [{ item: 1, input: 1 }]],
  [
    [0, { item: 3 }],
    [{ item: 0 }, { item: 3 }],
  ],
] as [ItemPairing | undefined, object[]][])('pairedItems(%j)', (pairing, expected) => {
  expect(pairedItems(pairing)).toEqual(expected);
});

describe('originOf', () => {
  // Start -> A (reverses its two items) -> B
  const runData: RunData = {
    Start: [task([], items(undefined, undefined))],
    A: [task([from('Start')], items({ item: 1 }, { item: 0 }))],
  };

  it('follows pairings back over several nodes', () => {
    expect(originOf(runData, [from('A')], 0, 0, 'A')).toEqual({ run: 0, output: 0, index: 0 });
    expect(originOf(runData, [from('A')], 0, 0, 'Start')).toEqual({ run: 0, output: 0, index: 1 });
    expect(originOf(runData, [from('A')], 0, 1, 'Start')).toEqual({ run: 0, output: 0, index: 0 });
  });

  it('uses the run and output of the source', () => {
    const twice: RunData = { A: [task([], items(0)), task([], items(0), items(0, 0))] };
    const source = from('A', { previousNodeRun: 1, previousNodeOutput: 1 });
    expect(originOf(twice, [source], 0, 1, 'A')).toEqual({ run: 1, output: 1, index: 1 });
  });

  it('chooses the input of the pairing', () => {
    const merged: RunData = {
      Left: [task([], items(undefined))],
      Right: [task([], items(undefined, undefined))],
      Merge: [task([from('Left'), from('Right')], items({ item: 1, input: 1 }))],
    };
    expect(originOf(merged, [from('Merge')], 0, 0, 'Right')).toEqual({ run: 0, output: 0, index: 1 });
    expect(originOf(merged, [from('Merge')], 0, 0, 'Left')).toEqual({ problem: 'lost' });
  });

  it('prefers the source of the pairing itself', () => {
    const loop: RunData = {
      A: [task([], items(undefined)), task([], items(undefined))],
      Loop: [task([from('A', { previousNodeRun: 1 })], items({ item: 0, sourceOverwrite: from('A') }))],
    };
    expect(originOf(loop, [from('Loop')], 0, 0, 'A')).toEqual({ run: 0, output: 0, index: 0 });
  });

  it('reports several origins as ambiguous, and the same origin twice as one', () => {
    const joined = (...pairs: number[]): RunData => ({
      Start: runData.Start!,
      Join: [task([from('Start')], items(pairs.map((item) => ({ item }))))],
    });
    expect(originOf(joined(0, 1), [from('Join')], 0, 0, 'Start')).toEqual({ problem: 'ambiguous' });
    expect(originOf(joined(1, 1), [from('Join')], 0, 0, 'Start')).toEqual({ run: 0, output: 0, index: 1 });
  });

  it('reports a missing pairing as lost', () => {
    const unpaired: RunData = { ...runData, A: [task([from('Start')], items(undefined))] };
    expect(originOf(unpaired, [from('A')], 0, 0, 'Start')).toEqual({ problem: 'lost' });
    expect(originOf({}, [from('A')], 0, 0, 'Start')).toEqual({ problem: 'lost' });
  });

  it('reports a node without a connection', () => {
    expect(originOf(runData, [null], 0, 0, 'Start')).toEqual({ problem: 'unconnected' });
  });

  it('ends in a circle', () => {
    const circle: RunData = {
      A: [task([from('B')], items({ item: 0 }))],
      B: [task([from('A')], items({ item: 0 }))],
    };
    expect(originOf(circle, [from('A')], 0, 0, 'Start')).toEqual({ problem: 'unconnected' });
  });
});
