/** Runs one node once: its record, its retries, and its settings for failures. */
import { sleep } from '#core/base';
import {
  type ErrorRecord,
  type Item,
  type NodeOutput,
  type NodeTask,
  nodeSettings,
  type TaskData,
  type WorkflowNode,
} from '#core/workflow-format';
import { errorRecord, NodeError } from '../../node-api/node-error.ts';
import { type NodeType, tooOldMessage } from '../../node-api/node-type.ts';
import { createNodeContext } from './create-node-context.ts';
import { failAllItems, splitFailures } from './error-output.ts';
import { onErrorOf, triesOf } from './error-settings.ts';
import { pairOutput } from './pair-output.ts';
import type { WorkflowRun } from './workflow-run.ts';

export interface NodeRunResult {
  runIndex: number;
  output: NodeOutput;
  /** Set if the node failed and stops the workflow. */
  error?: ErrorRecord;
}

/**
 * Runs the task's node and records the run.
 * @throws only when the execution is cancelled
 */
export async function runWorkflowNode(run: WorkflowRun, task: NodeTask): Promise<NodeRunResult> {
  const { state, signal, onEvent } = run.options;
  const { clock } = run.services.host;
  const node = run.graph.node(task.node);
  if (!node) throw new Error(`the workflow has no node ${task.node}`);
  const started = clock.now();
  const { record, runIndex } = addRecord(run, node, task, started);
  onEvent?.({ type: 'nodeStarted', node: node.name, runIndex, task: record });
  const finish = (result: Omit<NodeRunResult, 'runIndex'>): NodeRunResult => {
    record.executionTime = Math.max(0, Math.round(clock.now() - started));
    onEvent?.({ type: 'nodeFinished', node: node.name, runIndex, task: record });
    return { runIndex, ...result };
  };
  try {
    const output = await outputOf(run, node, task, runIndex, record);
    record.data = { main: output };
    record.executionStatus = state.wait ? 'waiting' : 'success';
    return finish({ output });
  } catch (error) {
    if (signal.aborted) {
      record.executionStatus = 'canceled';
      finish({ output: [] });
      throw error;
    }
    return finish(handleFailure(run, node, task, record, error));
  }
}

/** Adds the record of a new run to the state. */
function addRecord(
  { options: { state } }: WorkflowRun,
  { name }: WorkflowNode,
  { sources }: NodeTask,
  started: number,
): { record: TaskData; runIndex: number } {
  state.runData[name] ??= [];
  const runs = state.runData[name];
  const record: TaskData = {
    startTime: Math.floor(started),
    executionIndex: state.executionIndex++,
    source: sources.every((source) => source === null) ? [] : sources,
    hints: [],
    executionTime: 0,
    executionStatus: 'running',
  };
  runs.push(record);
  state.lastNode = name;
  return { record, runIndex: runs.length - 1 };
}

/** Records an error. By the node's setting it stops the workflow, or the input items continue. */
function handleFailure(
  { options: { state }, services }: WorkflowRun,
  node: WorkflowNode,
  task: NodeTask,
  record: TaskData,
  error: unknown,
): Omit<NodeRunResult, 'runIndex'> {
  delete state.wait;
  record.executionStatus = 'error';
  record.error = errorRecord(error, node.name);
  if (!(error instanceof NodeError)) {
    services.host.log.debug('webhooks: a node failed', { node: node.name, error: String(error) });
  }
  const onError = onErrorOf(node);
  if (onError === 'stopWorkflow') return { output: [], error: record.error };
  const output: NodeOutput =
    onError === 'continueErrorOutput'
      ? [
          ...Array<null>(countOutputs(services.nodeType(node.type), node)).fill(null),
          failAllItems(task.inputs, error),
        ]
      : [task.inputs[0] ?? []];
  record.data = { main: output };
  return { output };
}

async function outputOf(
  run: WorkflowRun,
  node: WorkflowNode,
  task: NodeTask,
  runIndex: number,
  record: TaskData,
): Promise<NodeOutput> {
  const { state, test, workflow } = run.options;
  if (state.given?.node === node.name && runIndex === 0) {
    const { output } = state.given;
    delete state.given;
    return output;
  }
  const pinned = test ? workflow.pinData[node.name] : undefined;
  if (pinned) return [pinned.map((item, index) => ({ pairedItem: { item: index }, ...item }))];
  if (node.disabled) return [passThrough(task.inputs[0] ?? [])];
  const type = requireType(run, node);
  const inputs = node.executeOnce ? task.inputs.map((items) => items?.slice(0, 1) ?? null) : task.inputs;
  const output = await withRetries(run, node, () => {
    record.hints.length = 0;
    const nodeRun = { node, type, inputs, sources: task.sources, runIndex, record };
    return type.execute(createNodeContext(run, nodeRun));
  });
  return applySettings(pairOutput(output, inputs), node, type, inputs);
}

/** @throws NodeError if the node cannot run here */
function requireType({ services }: WorkflowRun, node: WorkflowNode): NodeType {
  const type = services.nodeType(node.type);
  if (!type) {
    throw new NodeError(`Unrecognized node type: ${node.type}`, {
      description: 'This server does not have this node. Replace it, or disable it to skip it.',
    });
  }
  if (node.typeVersion < type.versions[0]!) throw new NodeError(tooOldMessage(node, type));
  return type;
}

/** The settings "On Error: continue using error output" and "Always Output Data". */
function applySettings(
  output: NodeOutput,
  node: WorkflowNode,
  type: NodeType,
  inputs: (Item[] | null)[],
): NodeOutput {
  const split =
    onErrorOf(node) === 'continueErrorOutput'
      ? splitFailures(output, countOutputs(type, node), inputs)
      : output;
  if (!node.alwaysOutputData || split.some((items) => items && items.length > 0)) return split;
  const allItems = (inputs[0] ?? []).map((_, item) => ({ item }));
  return [[{ json: {}, pairedItem: allItems }], ...split.slice(1)];
}

async function withRetries(
  run: WorkflowRun,
  node: WorkflowNode,
  attempt: () => Promise<NodeOutput>,
): Promise<NodeOutput> {
  const { tries, pause } = triesOf(node);
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (number >= tries || run.options.signal.aborted) throw error;
      await sleep(run.services.host.clock, pause, run.options.signal);
    }
  }
}

/** The number of regular outputs. */
function countOutputs(type: NodeType | undefined, node: WorkflowNode): number {
  const outputs = type?.outputs ?? ['main'];
  return (Array.isArray(outputs) ? outputs : outputs(nodeSettings(type, node))).length;
}

function passThrough(items: Item[]): Item[] {
  return items.map((item, index) => ({ ...item, pairedItem: { item: index } }));
}
