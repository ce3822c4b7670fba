/** The key of a conversation. */
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';

/** @throws NodeError when the item has none */
export async function sessionKey(context: NodeContext, itemIndex: number): Promise<string> {
  const isOwn =
    context.version < 1.2 || (await context.parameter('sessionIdType', itemIndex)) === 'customKey';
  if (!isOwn) return inputKey(context, itemIndex);
  const key = await context.parameter<unknown>('sessionKey', itemIndex);
  if (key !== undefined && key !== null && key !== '') return String(key);
  throw new NodeError('Key parameter is empty', {
    itemIndex,
    description:
      "Provide a key to use as session ID in the 'Key' parameter or use the 'Connected Chat Trigger Node' option to use the session ID from your Chat Trigger",
  });
}

/** The field `sessionId` of the item, or of the Chat Trigger that began the execution. */
async function inputKey(context: NodeContext, itemIndex: number): Promise<string> {
  const own = await context.evaluate<unknown>('={{ $json.sessionId }}', itemIndex);
  if (own !== undefined && own !== null && own !== '') return String(own);
  const trigger = context.workflow.nodes.find(
    ({ type, disabled }) => !disabled && type === '@n8n/n8n-nodes-langchain.chatTrigger',
  );
  const found = trigger && (await triggerKey(context, trigger.name, itemIndex));
  if (found) return found;
  throw new NodeError('No session ID found', {
    itemIndex,
    description:
      "Expected to find the session ID in an input field called 'sessionId' (this is what the chat trigger node outputs). To use something else, change the 'Session ID' parameter",
  });
}

async function triggerKey(
  context: NodeContext,
  name: string,
  itemIndex: number,
): Promise<string | undefined> {
  try {
    const key = await context.evaluate<unknown>(
      `={{ $(${JSON.stringify(name)}).first().json.sessionId }}`,
      itemIndex,
    );
    return key ? String(key) : undefined;
  } catch {
    // The trigger has not run in this execution.
    return undefined;
  }
}
