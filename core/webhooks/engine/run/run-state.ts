/** Where runs begin, and where they go on after a wait. */

import { type NodeOutput, type RunState, type Workflow, WorkflowGraph } from '#core/workflow-format';
import { type FlowRules, handOn } from './flow.ts';

export function emptyState(): RunState {
  return { queue: [], partial: [], runData: {}, memory: {}, customData: {}, executionIndex: 0 };
}

/**
 * A run that begins at `node`. With `output` the node is taken to have given it (a webhook's item, the items of a
 * caller); otherwise the node is run with one empty item.
 */
export function startAt(node: string, output?: NodeOutput): RunState {
  const state = emptyState();
  state.queue.push({ node, inputs: [[{ json: {} }]], sources: [null] });
  if (output) state.given = { node, output };
  return state;
}

/** Ends a wait: the node's output (or `output`, from the call that resumed it) goes on. */
export function endWait(state: RunState, workflow: Workflow, rules: FlowRules, output?: NodeOutput): void {
  const { wait } = state;
  if (!wait) return;
  delete state.wait;
  const task = state.runData[wait.node]?.[wait.runIndex];
  if (!task) return;
  task.executionStatus = 'success';
  if (output) task.data = { main: output };
  handOn(state, new WorkflowGraph(workflow), rules, wait, task.data?.main ?? []);
}
