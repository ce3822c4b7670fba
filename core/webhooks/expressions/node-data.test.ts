import { describe, expect, it } from 'vitest';
import { pairedItemsOf, sampleScope, taskOf } from '#test/support/webhooks/expression-scope.ts';
import { itemsOf, pairedItemOf, pairedPosition, sameIndexItem, sourceRunAndOutput } from './node-data.ts';

describe('sourceRunAndOutput', () => {
  it('follows the sources back to the run and output through which the items came', () => {
    const middle = taskOf([], [{ previousNode: 'Start', previousNodeRun: 1, previousNodeOutput: 2 }]);
    const runData = { Start: [taskOf([]), taskOf([]), taskOf([])], Middle: [middle] };
    expect(sourceRunAndOutput(runData, [{ previousNode: 'Middle' }], 'Start')).toEqual({ run: 1, output: 2 });
  });

  it('is the last run and first output of a node that did not lead here', () => {
    const runData = { Other: [taskOf([]), taskOf([])] };
    expect(sourceRunAndOutput(runData, [], 'Other')).toEqual({ run: 1, output: 0 });
    expect(sourceRunAndOutput({}, [null], 'None')).toEqual({ run: 0, output: 0 });
  });

  it('ends in a loop', () => {
    const runData = {
      A: [taskOf([], [{ previousNode: 'B' }])],
      B: [taskOf([], [{ previousNode: 'A' }])],
    };
    expect(sourceRunAndOutput(runData, [{ previousNode: 'A' }], 'C')).toEqual({ run: 0, output: 0 });
  });
});

describe('itemsOf', () => {
  it('reads an output of a run', () => {
    const scope = sampleScope();
    expect(itemsOf(scope, 'Start').map(({ json }) => json.n)).toEqual([7, 8]);
    expect(itemsOf(scope, 'Start', 1)).toEqual([]);
    expect(itemsOf(scope, 'Start', 0, 5)).toEqual([]);
  });

  it('fails for a node that has not run, or does not exist', () => {
    expect(() => itemsOf(sampleScope(), 'Unused')).toThrow("Node 'Unused' hasn't been executed");
    expect(() => itemsOf(sampleScope(), 'Nowhere')).toThrow("Referenced node doesn't exist");
  });
});

describe('the paired item', () => {
  it('is found over several nodes', () => {
    expect(pairedItemOf(sampleScope(), 'Start', 1).json).toEqual({ n: 8, text: 'Bo' });
    expect(pairedPosition(sampleScope({}, 0), 'Start', 1)).toEqual({ run: 0, output: 0, index: 0 });
  });

  it('must be clear', () => {
    const ambiguous = sampleScope({}, [{ item: 0 }, { item: 1 }]);
    expect(() => pairedItemOf(ambiguous, 'Start', 1)).toThrow(
      'Multiple matching items for expression [item 1]',
    );
  });

  it('must be known', () => {
    const scope = sampleScope({}, []);
    expect(() => pairedItemOf(scope, 'Start', 0)).toThrow(
      "Paired item data for item from node 'Start' is unavailable",
    );
    expect(() => pairedPosition(sampleScope({}, 9), 'Start', 0)).toThrow('is unavailable');
  });

  it('must come from a connected node', () => {
    const { runData } = sampleScope();
    const scope = sampleScope({ runData: { ...runData, Unused: [taskOf(pairedItemsOf({}))] } });
    expect(() => pairedItemOf(scope, 'Unused', 0)).toThrow(
      "There is no connection back to the node 'Unused'",
    );
  });
});

it('sameIndexItem fails where the node has fewer items', () => {
  expect(sameIndexItem(sampleScope(), 'Start', 1).json.n).toBe(8);
  expect(() => sameIndexItem(sampleScope(), 'Start', 2)).toThrow(
    `"Start" node has 2 item(s) but you're trying to access item 2`,
  );
});
