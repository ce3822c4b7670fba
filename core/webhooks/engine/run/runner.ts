/** Runs a workflow from node to node until nothing is left to do, it waits, fails, or is cancelled. */

import { type ErrorRecord, nodeSettings, type Workflow, WorkflowGraph } from '#core/workflow-format';
import { errorRecord } from '../../node-api/node-error.ts';
import { type FlowRules, handOn, nextTask } from './flow.ts';
import { runNode } from './run-node.ts';
import type { RunResult } from './run-result.ts';
import type { RunOptions, RunServices } from './run-services.ts';

/** Why a run was ended from outside. */
export class RunCancelled extends Error {
  override name = 'ExecutionCancelledError';
  constructor(message = 'The execution was cancelled') {
    super(message);
  }
}
export class RunTimedOut extends RunCancelled {
  override name = 'TimeoutExecutionCancelledError';
  constructor() {
    super('The execution was cancelled because it timed out');
  }
}

/** Never throws: every failure is in the result. `options.state` is changed and is the result's state. */
export async function runWorkflow(options: RunOptions, services: RunServices): Promise<RunResult> {
  const { workflow, state, signal } = options;
  const graph = new WorkflowGraph(workflow);
  const rules = flowRules(workflow, services, options.destination);
  const run = { options, services, graph };
  try {
    for (;;) {
      signal.throwIfAborted();
      const task = nextTask(state, graph);
      if (!task) return { status: 'success', state };
      const done = await runNode(run, task);
      if (done.error) return { status: 'error', state, error: done.error };
      if (state.wait) {
        await options.onProgress?.(state);
        return { status: 'waiting', state };
      }
      handOn(state, graph, rules, { node: task.node, runIndex: done.runIndex }, done.output);
      await options.onProgress?.(state);
    }
  } catch (error) {
    if (signal.aborted) return { status: 'canceled', state, error: cancelled(signal) };
    return { status: 'error', state, error: errorRecord(error, state.lastNode) };
  }
}

export function flowRules(workflow: Workflow, services: RunServices, destination?: string): FlowRules {
  const graph = new WorkflowGraph(workflow);
  const counts = new Map<string, number>();
  const rules: FlowRules = {
    order: workflow.settings.executionOrder === 'v1' ? 'v1' : 'v0',
    inputs(name) {
      let count = counts.get(name);
      if (count === undefined) {
        const node = graph.node(name);
        const type = node && services.nodeType(node.type);
        const inputs = type?.inputs ?? 1;
        count = typeof inputs === 'number' || !node ? Number(inputs) : inputs(nodeSettings(type, node));
        counts.set(name, count);
      }
      return count;
    },
    runsOnAnyInput: (name) => services.nodeType(graph.node(name)?.type ?? '')?.runsOnAnyInput ?? false,
  };
  if (destination !== undefined) rules.only = graph.ancestors(destination).add(destination);
  return rules;
}

function cancelled(signal: AbortSignal): ErrorRecord {
  const reason = signal.reason instanceof RunCancelled ? signal.reason : new RunCancelled();
  return errorRecord(reason);
}
