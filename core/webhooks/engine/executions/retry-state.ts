import type { ExecutionDetail, NodeTask, RunState, TaskData, Workflow } from '#core/workflow-format';
import { emptyState } from '../run/run-state.ts';
import { toState } from './execution-detail.ts';

/**
 * The state that a retry starts from: the failed node with its former items, or the remaining work of a crash.
 * Undefined if there is neither, or the workflow lost the node.
 */
export function retryState(detail: ExecutionDetail, workflow: Workflow): RunState | undefined {
  const remaining = toState(detail);
  const { runData, lastNodeExecuted: node } = detail.data.resultData;
  const failed = node === undefined ? undefined : runData[node]?.at(-1);
  if (!failed || node === undefined || failed.executionStatus === 'success') return remaining;
  if (!workflow.nodes.some(({ name }) => name === node)) return undefined;
  const state: RunState = { ...emptyState(), ...structuredClone(remaining) };
  state.runData = structuredClone(runData);
  state.runData[node]!.pop();
  if (state.runData[node]!.length === 0) delete state.runData[node];
  state.executionIndex = failed.executionIndex;
  state.queue.unshift({ node, ...formerInputs(failed, runData) });
  return state;
}

function formerInputs(task: TaskData, runData: RunState['runData']): Omit<NodeTask, 'node'> {
  if (task.source.length === 0) return { inputs: [[{ json: {} }]], sources: [null] };
  const inputs = task.source.map((source) => {
    if (!source) return null;
    const { previousNode, previousNodeRun = 0, previousNodeOutput = 0 } = source;
    return runData[previousNode]?.[previousNodeRun]?.data?.main?.[previousNodeOutput] ?? null;
  });
  return { inputs, sources: task.source };
}
