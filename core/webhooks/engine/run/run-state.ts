/** The state at the start of an execution, and after a wait. */
import {
  type Item,
  type NodeOutput,
  type RunState,
  type Workflow,
  WorkflowGraph,
} from '#core/workflow-format';
import { sendOutput } from './flow.ts';
import type { WorkflowRunServices } from './run-services.ts';
import { flowRules } from './runner.ts';

export function emptyState(): RunState {
  return { queue: [], partial: [], runData: {}, memory: {}, customData: {}, executionIndex: 0 };
}

/**
 * The state of an execution that starts at `node`.
 * @param output the output of that node. Without it the node runs.
 * @param input the items of the node that runs. Default: one empty item.
 */
export function startAt(node: string, output?: NodeOutput, input: Item[] = [{ json: {} }]): RunState {
  const state = emptyState();
  state.queue.push({ node, inputs: [input], sources: [null] });
  if (output) state.given = { node, output };
  return state;
}

/**
 * Ends the wait of a state: the output of the waiting node continues.
 * @param output replaces the recorded output
 */
export function endWait(
  state: RunState,
  workflow: Workflow,
  services: Pick<WorkflowRunServices, 'nodeType'>,
  output?: NodeOutput,
): void {
  const { wait } = state;
  if (!wait) return;
  delete state.wait;
  const task = state.runData[wait.node]?.[wait.runIndex];
  if (!task) return;
  task.executionStatus = 'success';
  if (output) task.data = { main: output };
  const graph = new WorkflowGraph(workflow);
  sendOutput({ state, graph, rules: flowRules(graph, workflow, services) }, wait, task.data?.main ?? []);
}
