import { describe, expect, it } from 'vitest';
import type { ExecutionDetail, Item, RunState, TaskData } from '#core/workflow-format';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { emptyState, startAt } from '../run/run-state.ts';
import { toDetail } from './execution-detail.ts';
import { retryState } from './retry-state.ts';

const workflow = workflowOf({ A: { type: 'noOp' }, B: { type: 'noOp' } }, ['A -> B']);
const items: Item[] = [{ json: { n: 1 } }];

const task = (more: Partial<TaskData>): TaskData => ({
  startTime: 0,
  executionIndex: 0,
  source: [],
  hints: [],
  executionTime: 0,
  executionStatus: 'success',
  ...more,
});
const detail = (state: Partial<RunState>): ExecutionDetail =>
  toDetail(workflow, { ...emptyState(), ...state });
const failedB = (source: TaskData['source']) =>
  task({ executionStatus: 'error', executionIndex: 3, source, data: { main: [] } });

describe('retryState', () => {
  it('begins at the failed node with its former items', () => {
    const runData = {
      A: [task({ data: { main: [items] } })],
      B: [failedB([{ previousNode: 'A', previousNodeOutput: 0, previousNodeRun: 0 }, null])],
    };
    expect(retryState(detail({ runData, lastNode: 'B' }), workflow)).toEqual({
      ...emptyState(),
      runData: { A: runData.A },
      executionIndex: 3,
      queue: [{ node: 'B', inputs: [items, null], sources: [runData.B[0]!.source[0], null] }],
    });
    expect(runData.B).toHaveLength(1);
  });

  it('finds the items of a source without numbers, and none of a missing one', () => {
    const runData = {
      A: [task({ data: { main: [items] } })],
      B: [failedB([{ previousNode: 'A' }, { previousNode: 'Gone' }])],
    };
    expect(retryState(detail({ runData, lastNode: 'B' }), workflow)?.queue[0]?.inputs).toEqual([items, null]);
  });

  it('begins with one empty item at a failed first node', () => {
    const state = retryState(detail({ runData: { A: [failedB([])] }, lastNode: 'A' }), workflow);
    expect(state?.queue).toEqual([{ node: 'A', inputs: [[{ json: {} }]], sources: [null] }]);
  });

  it('keeps earlier runs of the failed node and the remaining work', () => {
    const runData = { B: [task({}), failedB([])] };
    const [queued] = startAt('A').queue;
    const state = retryState(detail({ runData, lastNode: 'B', queue: [queued!] }), workflow);
    expect(state?.runData.B).toEqual([runData.B[0]]);
    expect(state?.queue.map(({ node }) => node)).toEqual(['B', 'A']);
  });

  it('is the remaining work of a crash after a successful node', () => {
    const state = { ...startAt('B'), runData: { A: [task({})] }, lastNode: 'A' };
    expect(retryState(toDetail(workflow, state), workflow)).toEqual(state);
    expect(retryState(toDetail(workflow, startAt('A')), workflow)).toEqual(startAt('A'));
  });

  it('does not exist without work, or if the workflow lost the node', () => {
    expect(retryState(detail({}), workflow)).toBeUndefined();
    const other = workflowOf({ A: { type: 'noOp' } }, []);
    expect(retryState(detail({ runData: { B: [failedB([])] }, lastNode: 'B' }), other)).toBeUndefined();
  });
});
