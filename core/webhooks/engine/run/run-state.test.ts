import { describe, expect, it } from 'vitest';
import type { Item, TaskData } from '#core/workflow-format';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { nodeType } from '../../nodes/index.ts';
import { emptyState, endWait, startAt } from './run-state.ts';

const items: Item[] = [{ json: { n: 1 } }];

describe('startAt', () => {
  it('runs the node with one empty item', () => {
    expect(startAt('A')).toEqual({
      ...emptyState(),
      queue: [{ node: 'A', inputs: [[{ json: {} }]], sources: [null] }],
    });
  });

  it('takes the output of the node from the caller', () => {
    expect(startAt('A', [items]).given).toEqual({ node: 'A', output: [items] });
  });
});

describe('endWait', () => {
  const workflow = workflowOf({ Wait: { type: 'wait' }, End: { type: 'noOp' } }, ['Wait -> End']);
  const waitingState = () => {
    const state = emptyState();
    const task = { executionStatus: 'waiting', data: { main: [items] } } as TaskData;
    state.runData.Wait = [{ ...task, executionStatus: 'success' }, task];
    state.wait = { node: 'Wait', runIndex: 1, until: { kind: 'time', at: 0 } };
    return state;
  };

  it('continues with the recorded output', () => {
    const state = waitingState();
    endWait(state, workflow, { nodeType });
    expect(state.wait).toBeUndefined();
    expect(state.runData.Wait![1]!.executionStatus).toBe('success');
    expect(state.queue).toEqual([
      {
        node: 'End',
        inputs: [items],
        sources: [{ previousNode: 'Wait', previousNodeOutput: 0, previousNodeRun: 1 }],
      },
    ]);
  });

  it('replaces the recorded output by that of the call', () => {
    const state = waitingState();
    const output = [[{ json: { called: true } }]];
    endWait(state, workflow, { nodeType }, output);
    expect(state.runData.Wait!.map(({ data }) => data?.main)).toEqual([[items], output]);
    expect(state.queue[0]!.inputs).toEqual(output);
  });

  it('changes nothing without a wait', () => {
    const state = { ...waitingState(), wait: undefined };
    endWait(state as never, workflow, { nodeType }, [[]]);
    expect([state.queue, state.runData.Wait![1]!.executionStatus]).toEqual([[], 'waiting']);
  });

  it('only ends the wait if the record of the node is missing', () => {
    const state = { ...waitingState(), runData: {} };
    endWait(state, workflow, { nodeType });
    expect([state.wait, state.queue]).toEqual([undefined, []]);
  });
});
