/** Nodes outside of an execution: for addresses that show what a workflow has, and for hooks. Nothing is recorded. */
import {
  type ExecutionMode,
  type Item,
  type SubNodeKind,
  type Workflow,
  WorkflowGraph,
  type WorkflowNode,
} from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { SubNodeValues } from '../../node-api/sub-nodes.ts';
import { createNodeContext } from './create-node-context.ts';
import type { WorkflowRunServices } from './run-services.ts';
import { emptyState } from './run-state.ts';
import { supplyFrom } from './sub-node-context.ts';

interface Asking {
  workflow: Workflow;
  /** The node that uses the sub-nodes, as if it worked on these items. */
  node: WorkflowNode;
  items: Item[];
  signal: AbortSignal;
  /** The execution that the node's files belong to. */
  executionId?: string;
  /** Default: `webhook`. */
  mode?: ExecutionMode;
}

/** The values of the sub-nodes for the first item. */
export async function supplyOutside<K extends SubNodeKind>(
  asking: Asking,
  kind: K,
  services: WorkflowRunServices,
): Promise<SubNodeValues[K][]> {
  const parts = partsOutside(asking, services);
  return parts ? supplyFrom({ ...parts, createContext: createNodeContext }, kind, 0) : [];
}

/** The context of the node itself. Undefined: its type is unknown. */
export function contextOutside(asking: Asking, services: WorkflowRunServices): NodeContext | undefined {
  const parts = partsOutside(asking, services);
  return parts && createNodeContext(parts.run, parts.nodeRun);
}

function partsOutside(
  { workflow, node, items, signal, executionId = '', mode = 'webhook' }: Asking,
  services: WorkflowRunServices,
) {
  const type = services.nodeType(node.type);
  if (!type) return undefined;
  const run = {
    options: {
      workflow,
      executionId,
      mode,
      test: false,
      state: emptyState(),
      signal,
    },
    services,
    graph: new WorkflowGraph(workflow),
  };
  const record = {
    startTime: services.host.clock.now(),
    executionIndex: 0,
    source: [],
    hints: [],
    executionTime: 0,
    executionStatus: 'running' as const,
  };
  return { run, nodeRun: { node, type, inputs: [items], sources: [null], runIndex: 0, record } };
}
