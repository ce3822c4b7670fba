import type { InputSource, Item, TaskData, WorkflowNode } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import type { WorkflowRun } from './workflow-run.ts';

/** One run of one node. */
export interface NodeRun {
  node: WorkflowNode;
  type: NodeType;
  inputs: (Item[] | null)[];
  sources: (InputSource | null)[];
  runIndex: number;
  record: TaskData;
  /** The names of the nodes that use a sub-node, from the one that runs. */
  chain?: readonly string[];
}

/** A node that runs, with the way to make contexts for the nodes that it uses. */
export interface RunningNode {
  run: WorkflowRun;
  nodeRun: NodeRun;
  createContext(run: WorkflowRun, nodeRun: NodeRun): NodeContext;
}
