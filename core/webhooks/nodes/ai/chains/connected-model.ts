/** The model of a node, with the one that stands in for it. */
import type { ChatModel } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';

/** @throws NodeError when no model is connected */
export async function connectedModel(context: NodeContext, itemIndex: number): Promise<ChatModel> {
  const models = (await context.subNodes('ai_languageModel', itemIndex)).reverse();
  const [first, second] = models;
  if (!first) throw new NodeError('A Model sub-node must be connected and enabled');
  const needsFallback = (await context.parameter('needsFallback', itemIndex, false)) === true;
  if (!needsFallback) return first;
  if (!second)
    throw new NodeError('Please connect a model to the Fallback Model input or disable the fallback option');
  return {
    node: first.node,
    async ask(request) {
      try {
        return await first.ask(request);
      } catch (error) {
        if (context.signal.aborted) throw error;
        return second.ask(request);
      }
    },
  };
}
