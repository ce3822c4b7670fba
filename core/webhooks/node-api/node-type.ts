/**
 * The interface that each node implements. A node is one `NodeType` in a file of its own under `nodes/`, listed in
 * `nodes/index.ts`.
 */
import type { NodeDescription, NodeOutput } from '#core/workflow-format';
import type { NodeContext } from './node-context.ts';

/** A node type: its description and its execution. */
export interface NodeType extends NodeDescription {
  /**
   * Runs as soon as one input has items, even while other inputs still wait: a loop feeds its own input. Otherwise a
   * node with several inputs waits for every input that can still receive items.
   */
  runsOnAnyInput?: boolean;
  /**
   * Runs once over all items. Retries and the node's error settings are the runner's job. Items should carry
   * `pairedItem`. The runner pairs the others if there is one input item, or as many as output items.
   * @throws NodeError for a fault that the workflow's author can correct
   */
  execute(context: NodeContext): Promise<NodeOutput>;
}
