import type { ExecutionDetail, RunState, TaskData, Workflow } from '#core/workflow-format';
import { emptyState } from '../run/run-state.ts';
import { stateOf } from './execution-detail.ts';

/**
 * Where a failed run goes on: what was still to do when it crashed, or the node that failed with the items that it got
 * then. Undefined when neither is left.
 */
export function retryState(detail: ExecutionDetail, workflow: Workflow): RunState | undefined {
  const left = stateOf(detail);
  const { runData, lastNodeExecuted } = detail.data.resultData;
  const failed = lastNodeExecuted === undefined ? undefined : runData[lastNodeExecuted]?.at(-1);
  if (!failed || lastNodeExecuted === undefined || failed.executionStatus === 'success') return left;
  if (!workflow.nodes.some(({ name }) => name === lastNodeExecuted)) return undefined;
  const state: RunState = { ...emptyState(), ...structuredClone(left) };
  state.runData = structuredClone(runData);
  state.runData[lastNodeExecuted]!.pop();
  if (state.runData[lastNodeExecuted]!.length === 0) delete state.runData[lastNodeExecuted];
  state.executionIndex = failed.executionIndex;
  state.queue.unshift({ node: lastNodeExecuted, ...inputsOf(failed, runData) });
  return state;
}

function inputsOf(task: TaskData, runData: RunState['runData']) {
  if (task.source.length === 0) return { inputs: [[{ json: {} }]], sources: [null] };
  const inputs = task.source.map((source) => {
    if (!source) return null;
    const { previousNode, previousNodeRun = 0, previousNodeOutput = 0 } = source;
    return runData[previousNode]?.[previousNodeRun]?.data?.main[previousNodeOutput] ?? null;
  });
  return { inputs, sources: task.source };
}
