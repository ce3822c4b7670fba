import type { Item, NodeOutput, SubNodeKind } from '#core/workflow-format';
import type { NodeContext } from './node-context.ts';

/** The context of a sub-node. Its expressions see the items of the node that uses it. */
export interface SubNodeContext extends NodeContext {
  /**
   * Records one use of the sub-node as a run of it.
   * @param input what it is given, in the record
   * @throws the error of `work`; the record then holds it
   */
  recordUse<T>(
    kind: SubNodeKind,
    input: Item[],
    work: () => Promise<{ value: T; output: Item[] }>,
  ): Promise<T>;
  /** The context of this node over other items, as an agent gives them to a tool. */
  over(items: Item[]): SubNodeContext;
  /** Runs the node over its items, as if they had arrived at its input. */
  execute(): Promise<NodeOutput>;
}
