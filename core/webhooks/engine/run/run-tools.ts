/** Runs the tools that an agent asks for, as nodes of the workflow. */
import { errorMessage } from '#core/base';
import type { InputSource, Item, TaskData, WorkflowNode } from '#core/workflow-format';
import { errorRecord, NodeError } from '../../node-api/node-error.ts';
import type { ToolRun } from '../../node-api/sub-nodes.ts';
import type { NodeRun, RunningNode } from './node-run.ts';
import { pairOutput } from './pair-output.ts';
import { startRecord } from './sub-node-context.ts';

/** @returns the items of each tool; for a tool that fails, one item with `json.error` */
export async function runTools(running: RunningNode, tools: ToolRun[]): Promise<Item[][]> {
  const { run, nodeRun: agent } = running;
  const results: Item[][] = [];
  for (const tool of tools) {
    run.options.signal.throwIfAborted();
    results.push(await runTool(running, tool));
  }
  // The agent continues: its record now stands after those of the tools.
  agent.record.executionIndex = run.options.state.executionIndex++;
  agent.record.metadata = { ...agent.record.metadata, nodeWasResumed: true };
  return results;
}

async function runTool(running: RunningNode, tool: ToolRun): Promise<Item[]> {
  const { run, nodeRun: agent } = running;
  const { services, graph, options } = run;
  const node = graph.node(tool.node);
  if (!node) throw new NodeError(`The workflow has no node ${tool.node}`);
  const source: InputSource = {
    previousNode: agent.node.name,
    previousNodeOutput: 0,
    previousNodeRun: agent.runIndex,
  };
  const { record, runIndex } = startRecord(run, node, source);
  const input = toolInput(agent, tool);
  describeRun(record, agent, input);
  options.onEvent?.({ type: 'nodeStarted', node: node.name, runIndex, task: record });
  try {
    const items = await execute(running, node, { inputs: [[input]], sources: [source], runIndex, record });
    record.executionStatus = 'success';
    record.data = { ai_tool: [items] };
    return items;
  } catch (error) {
    if (options.signal.aborted) throw error;
    record.executionStatus = 'error';
    record.error = errorRecord(error, node.name);
    const items: Item[] = [{ json: { error: errorMessage(error) } }];
    record.data = { ai_tool: [items] };
    return items;
  } finally {
    record.executionTime = Math.max(0, Math.round(services.host.clock.now() - record.startTime));
    options.onEvent?.({ type: 'nodeFinished', node: node.name, runIndex, task: record });
  }
}

async function execute(
  { run, createContext }: RunningNode,
  node: WorkflowNode,
  nodeRun: Omit<NodeRun, 'node' | 'type'>,
): Promise<Item[]> {
  const type = run.services.nodeType(node.type);
  if (!type) throw new NodeError(`Unrecognized node type: ${node.type}`);
  const output = await type.execute(createContext(run, { ...nodeRun, node, type }));
  const [items] = pairOutput([output.find((list) => list && list.length > 0) ?? []], nodeRun.inputs);
  return items ?? [];
}

/** The item with the model's arguments. Its pairing leads to the item that the agent works on. */
function toolInput({ sources }: NodeRun, { args, itemIndex }: ToolRun): Item {
  const sourceOverwrite = sources[0];
  return {
    json: args,
    pairedItem: { item: itemIndex, input: 0, ...(sourceOverwrite && { sourceOverwrite }) },
  };
}

function describeRun(record: TaskData, agent: NodeRun, input: Item): void {
  record.inputOverride = { ai_tool: [[input]] };
  const source = agent.sources[0];
  if (source) record.metadata = { preserveSourceOverwrite: true, preservedSourceOverwrite: source };
}
