/** The message that a node sends: a text, or the item as JSON. */
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';

export async function messageText(context: NodeContext, { json }: Item, index: number): Promise<string> {
  if ((await context.parameter('sendInputData', index)) !== false) return JSON.stringify(json);
  const message = await context.parameter<unknown>('message', index);
  return typeof message === 'object' && message !== null ? JSON.stringify(message) : String(message ?? '');
}

/** JSON as its value. @returns the text itself if it is not JSON */
export function parsedMessage(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
