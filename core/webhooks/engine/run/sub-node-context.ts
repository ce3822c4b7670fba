/** Sub-nodes in a run: what they supply to the node that uses them, and the records of their use. */
import { errorMessage } from '#core/base';
import {
  type InputSource,
  type Item,
  type NodeOutput,
  nodeSettings,
  type SubNodeKind,
  type TaskData,
  type WorkflowNode,
} from '#core/workflow-format';
import { errorRecord, NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import type { SubNodeContext } from '../../node-api/sub-node-context.ts';
import type { SubNodeValues } from '../../node-api/sub-nodes.ts';
import type { NodeRun, RunningNode } from './node-run.ts';
import type { WorkflowRun } from './workflow-run.ts';

/** The names of the nodes from the one that runs down to a sub-node: a circle of sub-nodes would never end. */
type Chain = readonly string[];

/** The values that the sub-nodes of a kind supply to the node of a run, in n8n's order. */
export async function supplyFrom<K extends SubNodeKind>(
  running: RunningNode,
  kind: K,
  itemIndex: number,
): Promise<SubNodeValues[K][]> {
  const { run, nodeRun: user } = running;
  const chain: Chain = user.chain ?? [user.node.name];
  const supplied: unknown[] = [];
  for (const { node } of run.graph.subNodes(user.node.name, kind)) {
    if (node.disabled) continue;
    if (chain.includes(node.name)) throw new NodeError(`The sub-nodes of ${node.name} form a circle`);
    const value = await supplyOne(running, { node, kind, chain: [...chain, node.name] }, itemIndex);
    if (Array.isArray(value)) supplied.push(...value);
    else supplied.push(value);
  }
  return supplied as SubNodeValues[K][];
}

async function supplyOne(
  running: RunningNode,
  { node, kind, chain }: { node: WorkflowNode; kind: SubNodeKind; chain: Chain },
  itemIndex: number,
): Promise<unknown> {
  const { run, nodeRun: user } = running;
  const type = run.services.nodeType(node.type);
  try {
    if (!type?.supply) {
      throw new NodeError(
        type ? `The node "${node.type}" supplies nothing` : `Unrecognized node type: ${node.type}`,
      );
    }
    return await type.supply(subNodeContext(running, { node, type, chain }), itemIndex);
  } catch (error) {
    if (run.options.signal.aborted || isReported(error)) throw error;
    const { record } = startRecord(run, node, userSource(user));
    record.executionStatus = 'error';
    record.error = errorRecord(error);
    throw new NodeError(`Error in sub-node ${node.name}`, {
      description: errorMessage(error),
      itemIndex,
      node: node.name,
      context: { itemIndex, kind },
      cause: error,
    });
  }
}

/** Whether a sub-node of this sub-node failed: its error was recorded there. */
function isReported(error: unknown): boolean {
  return error instanceof NodeError && error.message.startsWith('Error in sub-node ');
}

/** A sub-node works on the items of its user. */
function subNodeContext(
  running: RunningNode,
  { node, type, chain }: { node: WorkflowNode; type: NodeType; chain: Chain },
): SubNodeContext {
  const user = running.nodeRun;
  return withUses(running, { ...user, node, type, chain, record: { ...user.record, hints: [] } });
}

function withUses(running: RunningNode, nodeRun: NodeRun): SubNodeContext {
  const { run, nodeRun: user, createContext } = running;
  const context = createContext(run, nodeRun) as SubNodeContext;
  return Object.assign(context, {
    recordUse: <T>(kind: SubNodeKind, input: Item[], work: () => Promise<{ value: T; output: Item[] }>) =>
      recordUse(run, { node: nodeRun.node, source: userSource(user) }, { kind, input }, work),
    over: (items: Item[]) => withUses(running, { ...nodeRun, inputs: [items] }),
    execute: (): Promise<NodeOutput> => nodeRun.type.execute(context),
  });
}

async function recordUse<T>(
  run: WorkflowRun,
  { node, source }: { node: WorkflowNode; source: InputSource },
  { kind, input }: { kind: SubNodeKind; input: Item[] },
  work: () => Promise<{ value: T; output: Item[] }>,
): Promise<T> {
  const { clock } = run.services.host;
  const { record, runIndex } = startRecord(run, node, source);
  record.inputOverride = { [kind]: [input] };
  record.metadata = { subRun: [{ node: node.name, runIndex }] };
  const { onEvent, signal } = run.options;
  onEvent?.({ type: 'nodeStarted', node: node.name, runIndex, task: record });
  try {
    const { value, output } = await work();
    record.executionStatus = 'success';
    record.data = { [kind]: [output] };
    return value;
  } catch (error) {
    record.executionStatus = signal.aborted ? 'canceled' : 'error';
    record.error = errorRecord(error, node.name);
    record.data = { [kind]: [input] };
    throw error;
  } finally {
    record.executionTime = Math.max(0, Math.round(clock.now() - record.startTime));
    onEvent?.({ type: 'nodeFinished', node: node.name, runIndex, task: record });
  }
}

/** Adds a record for a sub-node. The node that runs stays the last one of the execution. */
export function startRecord(
  { options: { state }, services }: WorkflowRun,
  { name }: WorkflowNode,
  source: InputSource,
): { record: TaskData; runIndex: number } {
  state.runData[name] ??= [];
  const runs = state.runData[name];
  const record: TaskData = {
    startTime: Math.floor(services.host.clock.now()),
    executionIndex: state.executionIndex++,
    source: [source],
    hints: [],
    executionTime: 0,
    executionStatus: 'running',
  };
  runs.push(record);
  return { record, runIndex: runs.length - 1 };
}

function userSource({ node, runIndex }: NodeRun): InputSource {
  return { previousNode: node.name, previousNodeRun: runIndex };
}

/** The kind of connection of a sub-node, or undefined for a node that passes items on. */
export function suppliedKind(type: NodeType | undefined, node: WorkflowNode): SubNodeKind | undefined {
  const supplies = type?.supplies;
  return typeof supplies === 'function' ? supplies(nodeSettings(type, node)) : supplies;
}
