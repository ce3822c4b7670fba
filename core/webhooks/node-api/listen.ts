import type { Subscription } from '#core/host';
import type { Item } from '#core/workflow-format';
import type { BinaryData, NodeContext } from './node-context.ts';

/**
 * Begins to receive messages. `context.signal` ends it.
 * @returns when the node receives messages. When the subscription has ended, the node is asked to listen again
 * @throws NodeError if the server cannot be reached, or refuses
 */
export type Listen = (context: NodeContext, start: StartByMessage) => Promise<Subscription>;

/**
 * Starts the workflow.
 * @param make the items; their files belong to the execution
 * @returns when the execution is on record, and survives a crash. Rejects never
 */
export type StartByMessage = (
  make: (files: BinaryData) => Item[] | Promise<Item[]>,
) => Promise<StartedByMessage>;

export interface StartedByMessage {
  /** False: the workflow could not start. The message is not to be confirmed. */
  isAccepted: boolean;
  /** Resolves at the end of the execution: whether it succeeded. */
  done: Promise<boolean>;
}

/** The items of the first message, for a run that begins in the editor. */
export async function firstMessage(context: NodeContext, listen: Listen): Promise<Item[]> {
  let arrived: (items: Item[]) => void = () => {};
  const first = new Promise<Item[]>((resolve) => {
    arrived = resolve;
  });
  const listening = await listen(context, async (make) => {
    arrived(await make(context.binary));
    return { isAccepted: true, done: Promise.resolve(true) };
  });
  try {
    const ended = listening.ended.then(() => {
      context.signal.throwIfAborted();
      return [];
    });
    return await Promise.race([first, ended]);
  } finally {
    await listening.close();
  }
}
