/** One run of one node: its record, its settings for failures, and what goes on from it. */

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
import { createContext } from './create-node-context.ts';
import { allFailed, splitFailures } from './error-output.ts';
import { onErrorOf, triesOf } from './error-settings.ts';
import { pairOutput } from './pair-output.ts';
import type { Run } from './run.ts';

export interface NodeDone {
  runIndex: number;
  output: NodeOutput;
  /** The node failed and stops the workflow. */
  error?: ErrorRecord;
}

/** Runs the task's node and keeps its record. Throws only when the run is cancelled. */
export async function runNode(run: Run, task: NodeTask): Promise<NodeDone> {
  const { state, signal, onEvent } = run.options;
  const { clock } = run.services.host;
  const node = run.graph.node(task.node);
  if (!node) throw new Error(`the workflow has no node ${task.node}`);
  let runs = state.runData[node.name];
  if (!runs) {
    runs = [];
    state.runData[node.name] = runs;
  }
  const runIndex = runs.length;
  const started = clock.now();
  const record: TaskData = {
    startTime: Math.floor(started),
    executionIndex: state.executionIndex++,
    source: task.sources.every((source) => source === null) ? [] : task.sources,
    hints: [],
    executionTime: 0,
    executionStatus: 'running',
  };
  runs.push(record);
  state.lastNode = node.name;
  onEvent?.({ type: 'nodeStarted', node: node.name, runIndex, task: record });
  const finish = (done: NodeDone): NodeDone => {
    record.executionTime = Math.max(0, Math.round(clock.now() - started));
    onEvent?.({ type: 'nodeFinished', node: node.name, runIndex, task: record });
    return done;
  };
  try {
    const output = await outputOf(run, node, task, runIndex, record);
    record.data = { main: output };
    record.executionStatus = state.wait ? 'waiting' : 'success';
    return finish({ runIndex, output });
  } catch (error) {
    if (signal.aborted) {
      record.executionStatus = 'canceled';
      finish({ runIndex, output: [] });
      throw error;
    }
    delete state.wait;
    record.executionStatus = 'error';
    record.error = errorRecord(error, node.name);
    if (!(error instanceof NodeError)) {
      run.services.host.log.debug('webhooks: a node failed', { node: node.name, error: String(error) });
    }
    const onError = onErrorOf(node);
    if (onError === 'stopWorkflow') return finish({ runIndex, output: [], error: record.error });
    const regular = outputsOf(run.services.nodeType(node.type), node);
    const output: NodeOutput =
      onError === 'continueErrorOutput'
        ? [...Array<null>(regular).fill(null), allFailed(task.inputs, error)]
        : [task.inputs[0] ?? []];
    record.data = { main: output };
    return finish({ runIndex, output });
  }
}

async function outputOf(
  run: Run,
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
  if (node.disabled) return [passedOn(task.inputs[0] ?? [])];
  const type = run.services.nodeType(node.type);
  if (!type) {
    throw new NodeError(`Unrecognized node type: ${node.type}`, {
      description: 'This server does not have this node. Replace it, or disable it to skip it.',
    });
  }
  if (node.typeVersion < type.versions[0]!) throw new NodeError(tooOldMessage(node, type));
  const inputs = node.executeOnce ? task.inputs.map((items) => items?.slice(0, 1) ?? null) : task.inputs;
  let output = await withRetries(run, node, () => {
    record.hints.length = 0;
    return type.execute(createContext(run, { node, type, inputs, sources: task.sources, runIndex, record }));
  });
  output = pairOutput(output, inputs);
  if (onErrorOf(node) === 'continueErrorOutput')
    output = splitFailures(output, outputsOf(type, node), inputs);
  if (node.alwaysOutputData && !output.some((items) => items && items.length > 0)) {
    const all = (inputs[0] ?? []).map((_, item) => ({ item }));
    output = [[{ json: {}, pairedItem: all }], ...output.slice(1)];
  }
  return output;
}

async function withRetries(
  run: Run,
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

function outputsOf(type: NodeType | undefined, node: WorkflowNode): number {
  const outputs = type?.outputs ?? ['main'];
  return (Array.isArray(outputs) ? outputs : outputs(nodeSettings(type, node))).length;
}

function passedOn(items: Item[]): Item[] {
  return items.map((item, index) => ({ ...item, pairedItem: { item: index } }));
}
