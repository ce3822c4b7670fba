/**
 * The interface that each node implements. A node is one `NodeType` in a file of its own under `nodes/`, listed in
 * `nodes/index.ts`.
 */
import type { NodeDescription, NodeOutput, WorkflowNode } from '#core/workflow-format';
import type { Listen } from './listen.ts';
import type { NodeContext } from './node-context.ts';
import type { Poll } from './poll.ts';
import type { ServiceHook } from './service-hook.ts';
import type { SubNodeContext } from './sub-node-context.ts';

/** A node type: its description and its execution. */
export interface NodeType extends NodeDescription {
  /**
   * Runs once over all items. Retries and the node's error settings are the runner's job. Items should carry
   * `pairedItem`. The runner pairs the others if there is one input item, or as many as output items.
   * @throws NodeError for a fault that the workflow's author can correct
   */
  execute(context: NodeContext): Promise<NodeOutput>;
  /**
   * The value that a sub-node gives to the node that uses it (`SubNodeValues`), for one item. A list counts as several
   * sub-nodes.
   * @throws NodeError for a fault that the workflow's author can correct
   */
  supply?(context: SubNodeContext, itemIndex: number): Promise<unknown>;
  /** Set on a trigger that another server calls. */
  hook?: ServiceHook;
  /** Set on a trigger that waits for messages of another server while its workflow is published. */
  listen?: Listen;
  /** Set on a trigger that looks for new items at the times of its parameter `pollTimes`. */
  poll?: Poll;
}

/** The error text for a node whose version is older than every supported one. */
export function tooOldMessage(node: WorkflowNode, { name, label, versions }: NodeDescription): string {
  return `Version ${node.typeVersion} of ${name} is too old (known from ${versions[0]}): add a new "${label}" node`;
}
