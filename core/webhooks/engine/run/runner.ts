/** Runs a workflow node after node, until it ends, waits, fails or is cancelled. */
import { type ErrorRecord, nodeSettings, type Workflow, WorkflowGraph } from '#core/workflow-format';
import { errorRecord } from '../../node-api/node-error.ts';
import { type FlowRules, nextTask, sendOutput } from './flow.ts';
import { runWorkflowNode } from './run-node.ts';
import type { RunResult } from './run-result.ts';
import type { WorkflowRunOptions, WorkflowRunServices } from './run-services.ts';

/** The reason of the signal that cancels a run. The names are those of n8n's records. */
export class RunCancelled extends Error {
  override name = 'ExecutionCancelledError';
  constructor(message = 'The execution was cancelled') {
    super(message);
  }
}

/** The run took longer than its time limit. */
export class RunTimedOut extends RunCancelled {
  override name = 'TimeoutExecutionCancelledError';
  constructor() {
    super('The execution was cancelled because it timed out');
  }
}

/** Never rejects: the result holds every failure. `options.state` is changed, and is the state of the result. */
export async function runWorkflow(
  options: WorkflowRunOptions,
  services: WorkflowRunServices,
): Promise<RunResult> {
  const { workflow, state, signal } = options;
  const graph = new WorkflowGraph(workflow);
  const flow = { state, graph, rules: flowRules(graph, workflow, services, options.destination) };
  const run = { options, services, graph };
  try {
    for (;;) {
      signal.throwIfAborted();
      const task = nextTask(flow);
      if (!task) return { status: 'success', state };
      const { runIndex, output, error } = await runWorkflowNode(run, task);
      if (error) return { status: 'error', state, error };
      if (!state.wait) sendOutput(flow, { node: task.node, runIndex }, output);
      await options.onProgress?.(state);
      if (state.wait) return { status: 'waiting', state };
    }
  } catch (error) {
    if (signal.aborted) return { status: 'canceled', state, error: cancellationError(signal) };
    return { status: 'error', state, error: errorRecord(error, state.lastNode) };
  }
}

/** @param destination the node after which the run stops */
export function flowRules(
  graph: WorkflowGraph,
  { settings }: Pick<Workflow, 'settings'>,
  { nodeType }: Pick<WorkflowRunServices, 'nodeType'>,
  destination?: string,
): FlowRules {
  const counts = new Map<string, number>();
  const rules: FlowRules = {
    order: settings.executionOrder === 'v1' ? 'v1' : 'v0',
    inputs(name) {
      let count = counts.get(name);
      if (count === undefined) {
        count = countInputs(graph, name, nodeType);
        counts.set(name, count);
      }
      return count;
    },
  };
  if (destination !== undefined) rules.only = graph.ancestors(destination).add(destination);
  return rules;
}

function countInputs(graph: WorkflowGraph, name: string, nodeType: WorkflowRunServices['nodeType']): number {
  const node = graph.node(name);
  const type = node && nodeType(node.type);
  const inputs = type?.inputs ?? 1;
  return typeof inputs === 'number' || !node ? Number(inputs) : inputs(nodeSettings(type, node));
}

function cancellationError(signal: AbortSignal): ErrorRecord {
  const reason = signal.reason instanceof RunCancelled ? signal.reason : new RunCancelled();
  return errorRecord(reason);
}
